import { column, defineMigration } from '../migration.js';

/** What a page shows once after the form that led to it, sealed, for the minutes between the two. */
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
