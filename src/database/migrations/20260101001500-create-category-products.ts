import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_category_products', {
      columns: {
        category_id: column.reference('portal_categories', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
      },
      primaryKey: ['category_id', 'product_id'],
      indexes: [['product_id', 'category_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_category_products');
  },
});
