import { column, defineMigration } from '../migration.js';

/** What the portal calls the plan; the local gateway does not read it. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_gateway_key_products', 'plan', column.code(64, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_gateway_key_products', 'plan');
  },
});
