import { column, defineMigration } from '../migration.js';

/**
 * Endpoints that are told of events, and what they are to be told. A message keeps only the number of the
 * developer whose record it is about, without a reference: it may tell of their deletion.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_webhook_endpoints', {
      columns: {
        id: column.id(),
        uuid: column.key(36),
        owner_id: column.reference('portal_users', { onDelete: 'cascade', nullable: true }),
        created_by: column.bigint({ nullable: true }),
        url: column.text(),
        description: column.string(200),
        events: column.json(),
        status: column.code(16),
        disabled_reason: column.code(16, { nullable: true }),
        secret: column.longtext(),
        previous_secret: column.longtext({ nullable: true }),
        previous_until: column.datetime({ nullable: true }),
        challenged_at: column.datetime({ nullable: true }),
        failing_since: column.datetime({ nullable: true }),
        warned_at: column.datetime({ nullable: true }),
        resume_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['uuid']],
      indexes: [['owner_id']],
    });
    await schema.createTable('portal_webhook_messages', {
      columns: {
        id: column.id(),
        webhook_id: column.key(40),
        type: column.code(100),
        owner_id: column.bigint({ nullable: true }),
        endpoint_id: column.bigint({ nullable: true }),
        body: column.longtext(),
        created_at: column.datetime(),
      },
      unique: [['webhook_id']],
      indexes: [['created_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_webhook_messages');
    await schema.dropTable('portal_webhook_endpoints');
  },
});
