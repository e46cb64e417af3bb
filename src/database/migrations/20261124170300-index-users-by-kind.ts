import { defineMigration } from '../migration.js';

/** Developers in each order, without the accounts of teams: MariaDB sorts the whole table otherwise. */
const ORDERS = [
  ['kind', 'email'],
  ['kind', 'first_name', 'id'],
  ['kind', 'last_name', 'id'],
  ['kind', 'status', 'id'],
  ['kind', 'created_at', 'id'],
  ['kind', 'updated_at', 'id'],
  ['kind', 'id'],
];

export const migration = defineMigration({
  async up(schema) {
    for (const columns of ORDERS) await schema.addIndex('portal_users', columns);
  },
  async down(schema) {
    for (const columns of [...ORDERS].reverse()) await schema.dropIndex('portal_users', columns);
  },
});
