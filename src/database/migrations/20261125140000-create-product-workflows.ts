import { column, defineMigration } from '../migration.js';

/** Arazzo documents of products: apart from them, so that lists never read whole documents. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_workflows', {
      columns: {
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        hash: column.string(64),
        document: column.longtext(),
        updated_at: column.datetime(),
      },
      primaryKey: ['product_id'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_workflows');
  },
});
