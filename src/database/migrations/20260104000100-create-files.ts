import { column, defineMigration } from '../migration.js';

/** Uploaded pictures by the SHA-256 of their bytes; in the database, so that every replica can serve them. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_files', {
      columns: {
        hash: column.key(64),
        type: column.code(32),
        bytes: column.mediumblob(),
        created_at: column.datetime(),
      },
      primaryKey: ['hash'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_files');
  },
});
