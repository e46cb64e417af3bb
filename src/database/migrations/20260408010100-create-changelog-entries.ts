import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_changelog_entries', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        kind: column.code(16),
        version: column.string(100, { nullable: true }),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.mediumtext(),
        status: column.code(16),
        published_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      indexes: [
        ['product_id', 'status', 'published_at', 'id'],
        ['product_id', 'published_at', 'id'],
        ['product_id', 'created_at', 'id'],
        ['product_id', 'updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_changelog_entries');
  },
});
