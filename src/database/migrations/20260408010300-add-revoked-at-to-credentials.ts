import { column, defineMigration } from '../migration.js';

/** When a key was revoked; null for keys that are not, and for those of before. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_credentials', 'revoked_at', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_credentials', 'revoked_at');
  },
});
