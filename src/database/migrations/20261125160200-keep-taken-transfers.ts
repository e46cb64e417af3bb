import { column, defineMigration } from '../migration.js';

/** Who accepted an offer of an app, so that accepting it again answers the same; null while it is open. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_app_transfers', 'taken_by', column.bigint({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_app_transfers', 'taken_by');
  },
});
