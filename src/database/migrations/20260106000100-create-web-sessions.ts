import { column, defineMigration } from '../migration.js';

/** Browser sessions of the theme, by the hash of their id. The sign-in itself is in `portal_sessions`. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_web_sessions', {
      columns: {
        id: column.key(64),
        data: column.text(),
        expires_at: column.datetime(),
        created_at: column.datetime(),
      },
      primaryKey: ['id'],
      indexes: [['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_web_sessions');
  },
});
