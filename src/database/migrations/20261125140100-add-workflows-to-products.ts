import { column, defineMigration } from '../migration.js';

/** Which Arazzo document a product has; none of those that are there has one. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_products', 'workflows_hash', column.string(64, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_products', 'workflows_hash');
  },
});
