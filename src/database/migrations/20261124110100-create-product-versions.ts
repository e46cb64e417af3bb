import { column, defineMigration } from '../migration.js';

/** Versions that a product is offered in. A product without rows has one that nobody named. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_versions', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        name: column.code(40),
        state: column.code(16),
        is_default: column.boolean(),
        spec_hash: column.key(64, { nullable: true }),
        ...column.timestamps(),
      },
      unique: [['product_id', 'name']],
      indexes: [
        ['product_id', 'created_at', 'id'],
        ['product_id', 'updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_product_versions');
  },
});
