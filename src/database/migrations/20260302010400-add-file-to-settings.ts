import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_settings';

/** The uploaded file that a setting shows, as a foreign key, so that the database protects files that are in use. */
export const migration = defineMigration({
  async up(schema) {
    const references = { table: 'portal_files', column: 'hash', onDelete: 'restrict' } as const;
    await schema.addColumn(TABLE, 'file', column.key(64, { nullable: true, references }));
    await schema.addIndex(TABLE, ['file']);
  },
  async down(schema) {
    // MySQL drops the index with its only column, but not before the foreign key that needs it.
    if (schema.dialect === 'sqlite') await schema.dropIndex(TABLE, ['file']);
    await schema.dropColumn(TABLE, 'file');
  },
});
