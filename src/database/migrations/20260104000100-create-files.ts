import { column, defineMigration } from '../migration.js';

/** Pictures that were uploaded, by the SHA-256 of their bytes: in the database, so that every replica serves them. */
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
