import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_credential_products', {
      columns: {
        credential_id: column.reference('portal_credentials', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'restrict' }),
        status: column.code(16),
        revoked_by: column.code(16, { nullable: true }),
        status_reason: column.string(500, { nullable: true }),
        ...column.timestamps(),
      },
      primaryKey: ['credential_id', 'product_id'],
      indexes: [
        ['product_id', 'status', 'created_at'],
        ['status', 'created_at'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_credential_products');
  },
});
