import { column, defineMigration } from '../migration.js';

/** When somebody was last on the pages of a product, and the time before. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_visits', {
      columns: {
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        looked_at: column.datetime(),
        previous_at: column.datetime({ nullable: true }),
      },
      primaryKey: ['user_id', 'product_id'],
      indexes: [['product_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_visits');
  },
});
