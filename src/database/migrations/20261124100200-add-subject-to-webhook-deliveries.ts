import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_webhook_deliveries';

/** What a delivery is about, by which its endpoint may want an order, and its own body where that is not the thin one. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn(TABLE, 'subject', column.code(160, { nullable: true }));
    await schema.addColumn(TABLE, 'body', column.longtext({ nullable: true }));
    await schema.addIndex(TABLE, ['endpoint_id', 'subject']);
    await schema.addColumn('portal_webhook_messages', 'details', column.longtext({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_webhook_messages', 'details');
    await schema.dropIndex(TABLE, ['endpoint_id', 'subject']);
    await schema.dropColumn(TABLE, 'body');
    await schema.dropColumn(TABLE, 'subject');
  },
});
