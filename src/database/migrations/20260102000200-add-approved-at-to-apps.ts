import { column, defineMigration } from '../migration.js';

const TABLES = ['portal_apps', 'portal_credentials', 'portal_credential_products'];

/**
 * When it was first approved; null if never. Developers may undo their own revocation, but that must not approve what
 * was still pending when they revoked it.
 */
export const migration = defineMigration({
  async up(schema) {
    for (const table of TABLES) await schema.addColumn(table, 'approved_at', column.datetime({ nullable: true }));
  },
  async down(schema) {
    for (const table of [...TABLES].reverse()) await schema.dropColumn(table, 'approved_at');
  },
});
