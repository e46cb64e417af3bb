import { column, defineMigration } from '../migration.js';

/** Change counters of tables; lists cache a total until the counter changes. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_table_versions', {
      columns: { name: column.code(64), version: column.bigint({ default: 0 }) },
      primaryKey: ['name'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_table_versions');
  },
});
