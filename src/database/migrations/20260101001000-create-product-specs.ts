import { column, defineMigration } from '../migration.js';

/** Separate from the products, so that lists never read megabytes of documents. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_specs', {
      columns: {
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        document: column.longtext(),
        updated_at: column.datetime(),
      },
      primaryKey: ['product_id'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_specs');
  },
});
