import { column, defineMigration } from '../migration.js';

/** What a message is about, by which developers find those about products that they use, and that a sunset was noticed. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_webhook_messages', 'subject', column.code(160, { nullable: true }));
    await schema.addColumn('portal_deprecations', 'sunset_noticed_at', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_deprecations', 'sunset_noticed_at');
    await schema.dropColumn('portal_webhook_messages', 'subject');
  },
});
