import { column, defineMigration } from '../migration.js';

/** Guarded attempts: one small document per key, and when it may be deleted. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_limit_ledgers', {
      columns: { limit_key: column.key(255), document: column.mediumtext(), stale_at: column.datetime() },
      primaryKey: ['limit_key'],
      indexes: [['stale_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_limit_ledgers');
  },
});
