import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_tags', {
      columns: {
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        tag: column.code(50),
      },
      primaryKey: ['product_id', 'tag'],
      indexes: [['tag', 'product_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_tags');
  },
});
