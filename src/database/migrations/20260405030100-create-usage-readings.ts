import { column, defineMigration } from '../migration.js';

/** How far the calls that a gateway has counted itself were read from it. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_usage_readings', {
      columns: { driver: column.key(64), hour: column.integer(), as_of: column.datetime() },
      primaryKey: ['driver'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_usage_readings');
  },
});
