import { column, defineMigration } from '../migration.js';

/** The outbox of mails. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_mails', {
      columns: {
        id: column.id(),
        uuid: column.key(36),
        template: column.code(100),
        payload: column.longtext(),
        state: column.code(16),
        tries: column.integer(),
        due_at: column.datetime(),
        claim: column.key(36, { nullable: true }),
        claimed_until: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['uuid']],
      indexes: [
        ['state', 'due_at', 'id'],
        ['state', 'updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_mails');
  },
});
