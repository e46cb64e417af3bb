import { column, defineMigration } from '../migration.js';

/** Messages on their way to endpoints, and each attempt. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_webhook_deliveries', {
      columns: {
        id: column.id(),
        message_id: column.reference('portal_webhook_messages', { onDelete: 'cascade' }),
        endpoint_id: column.reference('portal_webhook_endpoints', { onDelete: 'cascade' }),
        webhook_id: column.key(40),
        type: column.code(100),
        state: column.code(16),
        tries: column.integer(),
        due_at: column.datetime(),
        claim: column.key(36, { nullable: true }),
        claimed_until: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['message_id', 'endpoint_id']],
      indexes: [
        ['endpoint_id', 'created_at'],
        ['endpoint_id', 'state', 'due_at'],
        ['state', 'due_at'],
      ],
    });
    await schema.createTable('portal_webhook_attempts', {
      columns: {
        id: column.id(),
        delivery_id: column.reference('portal_webhook_deliveries', { onDelete: 'cascade' }),
        number: column.integer(),
        status: column.integer({ nullable: true }),
        failure: column.code(16, { nullable: true }),
        duration: column.integer(),
        answer: column.text({ nullable: true }),
        created_at: column.datetime(),
      },
      indexes: [['delivery_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_webhook_attempts');
    await schema.dropTable('portal_webhook_deliveries');
  },
});
