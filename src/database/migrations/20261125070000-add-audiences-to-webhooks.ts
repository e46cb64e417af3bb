import { column, defineMigration } from '../migration.js';

const TABLES = ['portal_webhook_endpoints', 'portal_webhook_messages'];

/** Ids of the audiences that an endpoint wants to hear of, and of those that a message concerns. */
export const migration = defineMigration({
  async up(schema) {
    for (const table of TABLES) await schema.addColumn(table, 'audiences', column.json({ nullable: true }));
  },
  async down(schema) {
    for (const table of [...TABLES].reverse()) await schema.dropColumn(table, 'audiences');
  },
});
