import { column, defineMigration } from '../migration.js';

/** When the developer was notified that the key is about to expire. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_credentials', 'expiry_noticed_at', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_credentials', 'expiry_noticed_at');
  },
});
