import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_watches', {
      columns: {
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        kinds: column.json(),
        updated_at: column.datetime(),
      },
      primaryKey: ['user_id', 'product_id'],
      indexes: [['product_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_watches');
  },
});
