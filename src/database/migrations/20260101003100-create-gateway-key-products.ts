import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_key_products', {
      columns: {
        key_id: column.reference('portal_gateway_keys', { onDelete: 'cascade' }),
        product: column.code(100),
        status: column.code(16),
      },
      primaryKey: ['key_id', 'product'],
      indexes: [['product']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_gateway_key_products');
  },
});
