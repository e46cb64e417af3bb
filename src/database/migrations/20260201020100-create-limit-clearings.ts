import { column, defineMigration } from '../migration.js';

/** Lifted limits, for processes that count in their own memory. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_limit_clearings', {
      columns: { limit_key: column.key(255), cleared_at: column.datetime() },
      primaryKey: ['limit_key'],
      indexes: [['cleared_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_limit_clearings');
  },
});
