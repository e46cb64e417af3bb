import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_audience_products', {
      columns: {
        audience_id: column.reference('portal_audiences', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
      },
      primaryKey: ['audience_id', 'product_id'],
      indexes: [['product_id', 'audience_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_audience_products');
  },
});
