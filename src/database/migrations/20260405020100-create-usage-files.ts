import { column, defineMigration } from '../migration.js';

/** How far access logs were imported. A file is known by how it begins, wherever it lies and whatever it is called. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_usage_files', {
      columns: {
        head: column.key(64),
        content: column.key(64),
        bytes: column.bigint(),
        imported_at: column.datetime(),
      },
      primaryKey: ['head'],
      indexes: [['imported_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_usage_files');
  },
});
