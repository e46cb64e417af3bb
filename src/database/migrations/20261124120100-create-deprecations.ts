import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_deprecations', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        version: column.code(100, { nullable: true }),
        method: column.code(16, { nullable: true }),
        path: column.code(500, { nullable: true }),
        base_path: column.code(200, { default: '' }),
        exceptions: column.json(),
        state: column.code(16),
        deprecated_at: column.datetime(),
        sunset_at: column.datetime({ nullable: true }),
        closes: column.code(16),
        replacement_url: column.code(2048, { nullable: true }),
        guide_url: column.code(2048, { nullable: true }),
        description: column.string(1000, { default: '' }),
        brownouts: column.json(),
        announced_at: column.datetime({ nullable: true }),
        retired_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      indexes: [
        ['product_id', 'deprecated_at', 'id'],
        ['product_id', 'sunset_at', 'id'],
        ['product_id', 'created_at', 'id'],
        ['product_id', 'updated_at', 'id'],
        ['state', 'sunset_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_deprecations');
  },
});
