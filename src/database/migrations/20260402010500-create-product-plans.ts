import { column, defineMigration } from '../migration.js';

/** The plans that products offer. A plan that one offers cannot be deleted. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_plans', {
      columns: {
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        plan_id: column.reference('portal_plans', { onDelete: 'restrict' }),
        is_default: column.boolean({ default: false }),
      },
      primaryKey: ['product_id', 'plan_id'],
      indexes: [['plan_id', 'product_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_plans');
  },
});
