import { column, defineMigration } from '../migration.js';

/** Whether programs that read for people are told of a product; of those that are there they are. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_products', 'for_agents', column.boolean({ default: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_products', 'for_agents');
  },
});
