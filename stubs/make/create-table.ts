import { column, defineMigration } from 'portalkit';

/**
 * Creates {{table}}. Run it with `npx portal migrate`, undo it with `npx portal migrate:rollback`, and look at its SQL
 * with `--pretend`. A migration that has run anywhere else is never edited: write the next one instead.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('{{table}}', {
      columns: {
        id: column.id(),
        name: column.string(200),
        ...column.timestamps(),
      },
      indexes: [['created_at', 'id']],
    });
  },

  async down(schema) {
    await schema.dropTable('{{table}}');
  },
});
