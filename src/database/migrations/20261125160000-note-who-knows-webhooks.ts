import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_webhook_endpoints';
const COLUMNS = ['maker_id', 'seer_id'];

/**
 * Who gave an endpoint its address, and who was told its secret; null where nobody noted it. Without references: an account that is
 * gone is another thing than one that was never noted.
 */
export const migration = defineMigration({
  async up(schema) {
    for (const name of COLUMNS) await schema.addColumn(TABLE, name, column.bigint({ nullable: true }));
  },
  async down(schema) {
    for (const name of [...COLUMNS].reverse()) await schema.dropColumn(TABLE, name);
  },
});
