import { column, defineMigration } from '../migration.js';

/** The developer's chosen language; null if they never chose one. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_users', 'locale', column.code(16, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_users', 'locale');
  },
});
