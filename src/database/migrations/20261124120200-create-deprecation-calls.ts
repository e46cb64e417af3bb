import { column, defineMigration } from '../migration.js';

/** Without foreign keys, like all counts: a deprecation or an app may go while some are still in memory. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_deprecation_calls', {
      columns: {
        deprecation_id: column.bigint(),
        app_id: column.bigint(),
        day: column.integer(),
        calls: column.bigint(),
        last_at: column.bigint(),
      },
      primaryKey: ['deprecation_id', 'app_id', 'day'],
      indexes: [['app_id', 'day'], ['day']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_deprecation_calls');
  },
});
