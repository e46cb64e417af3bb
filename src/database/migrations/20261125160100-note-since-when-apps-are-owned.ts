import { column, defineMigration } from '../migration.js';

/** Since when an app is its owner's; null: since it was made. What was approved before, was approved for somebody else. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_apps', 'owned_since', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_apps', 'owned_since');
  },
});
