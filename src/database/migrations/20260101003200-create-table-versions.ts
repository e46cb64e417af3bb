import { column, defineMigration } from '../migration.js';

/** How often a table was changed; lists keep a total while the number stands still. */
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
