import { column, defineMigration } from '../migration.js';

/** Values that a page shows once after a form, encrypted, for the minutes in between. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_one_time_values', {
      columns: {
        id: column.key(64),
        sealed: column.text(),
        expires_at: column.datetime(),
      },
      primaryKey: ['id'],
      indexes: [['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_one_time_values');
  },
});
