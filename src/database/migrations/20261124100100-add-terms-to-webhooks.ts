import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_webhook_endpoints';
const COLUMNS = {
  told_fields: column.json({ nullable: true }),
  at_once: column.integer({ nullable: true }),
  rate: column.integer({ nullable: true }),
  is_ordered: column.boolean({ default: false }),
  lane: column.key(36, { nullable: true }),
  lane_until: column.datetime({ nullable: true }),
};

/** How an endpoint wants its messages: with which fields, how many at once and in a minute, and in which order. */
export const migration = defineMigration({
  async up(schema) {
    for (const [name, type] of Object.entries(COLUMNS)) await schema.addColumn(TABLE, name, type);
  },
  async down(schema) {
    for (const name of Object.keys(COLUMNS).reverse()) await schema.dropColumn(TABLE, name);
  },
});
