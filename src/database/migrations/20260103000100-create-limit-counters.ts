import { column, defineMigration } from '../migration.js';

/** Request counts in fixed windows, for portals whose workers share their limits. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_limit_counters', {
      columns: { limit_key: column.key(255), hits: column.integer(), ends_at: column.datetime() },
      primaryKey: ['limit_key'],
      indexes: [['ends_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_limit_counters');
  },
});
