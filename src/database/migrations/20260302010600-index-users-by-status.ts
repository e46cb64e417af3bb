import { defineMigration } from '../migration.js';

/** Developers of one status in each order: without these, a page of the first of a million sorts all of them. */
const ORDERS = [
  ['status', 'email'],
  ['status', 'first_name', 'id'],
  ['status', 'last_name', 'id'],
  ['status', 'updated_at', 'id'],
];

export const migration = defineMigration({
  async up(schema) {
    for (const columns of ORDERS) await schema.addIndex('portal_users', columns);
  },
  async down(schema) {
    for (const columns of [...ORDERS].reverse()) await schema.dropIndex('portal_users', columns);
  },
});
