import { column, defineMigration } from '../migration.js';

/** Beside people there are the accounts that teams own their apps with: nobody signs in with them. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_users', 'kind', column.code(16, { default: 'person' }));
  },
  async down(schema) {
    await schema.dropColumn('portal_users', 'kind');
  },
});
