import { column, defineMigration } from '../migration.js';

const TABLES = ['portal_products', 'portal_categories'];

/** Beside `thumbnail_url`: the file that it names, so that the database itself keeps files that are in use. */
export const migration = defineMigration({
  async up(schema) {
    const references = { table: 'portal_files', column: 'hash', onDelete: 'restrict' } as const;
    for (const table of TABLES) {
      await schema.addColumn(table, 'thumbnail_file', column.key(64, { nullable: true, references }));
      await schema.addIndex(table, ['thumbnail_file']);
    }
  },
  async down(schema) {
    for (const table of [...TABLES].reverse()) {
      // MySQL drops the index with its only column, and not before the foreign key that needs it.
      if (schema.dialect === 'sqlite') await schema.dropIndex(table, ['thumbnail_file']);
      await schema.dropColumn(table, 'thumbnail_file');
    }
  },
});
