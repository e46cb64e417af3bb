import { column, defineMigration } from 'portalkit';

/**
 * Adds {{column}} to {{table}}. Rows that exist get NULL, and the release before this one goes on working while it is
 * being replaced. Run it with `npx portal migrate`, undo it with `npx portal migrate:rollback`, and look at its SQL with
 * `--pretend`. A migration that has run anywhere else is never edited: write the next one instead.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('{{table}}', '{{column}}', column.string(200, { nullable: true }));
  },

  async down(schema) {
    await schema.dropColumn('{{table}}', '{{column}}');
  },
});
