import { column, defineMigration } from '../migration.js';

const TABLES = ['portal_products', 'portal_categories'];

/** The file named by `thumbnail_url`, as a foreign key, so that the database protects files that are in use. */
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
      // MySQL drops the index with its only column, but not before the foreign key that needs it.
      if (schema.dialect === 'sqlite') await schema.dropIndex(table, ['thumbnail_file']);
      await schema.dropColumn(table, 'thumbnail_file');
    }
  },
});
