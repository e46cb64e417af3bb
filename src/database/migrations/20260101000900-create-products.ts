import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_products', {
      columns: {
        id: column.id(),
        slug: column.code(100),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.mediumtext(),
        visibility: column.code(16),
        approval: column.code(16),
        gateway_product_id: column.code(100),
        thumbnail_url: column.string(2048, { nullable: true }),
        custom_attributes: column.json(),
        spec_hash: column.key(64, { nullable: true }),
        ...column.timestamps(),
      },
      unique: [['slug'], ['gateway_product_id']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['name', 'id'],
        ['visibility', 'created_at', 'id'],
        ['visibility', 'updated_at', 'id'],
        ['visibility', 'name', 'id'],
        ['approval', 'created_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_products');
  },
});
