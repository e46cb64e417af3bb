import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_guides', {
      columns: {
        id: column.id(),
        kind: column.code(16),
        product_id: column.reference('portal_products', { onDelete: 'cascade', nullable: true }),
        slug: column.code(100),
        // Kind, product and slug in one: a unique index over a product that may be null would not be unique.
        address: column.key(150),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.mediumtext(),
        nav_group: column.string(100, { default: '' }),
        position: column.integer({ default: 0 }),
        visibility: column.code(16),
        published_at: column.datetime({ nullable: true }),
        file: column.string(255, { nullable: true }),
        file_hash: column.key(64, { nullable: true }),
        ...column.timestamps(),
      },
      unique: [['address']],
      indexes: [
        ['kind', 'product_id', 'position', 'id'],
        ['product_id', 'id'],
        ['name', 'id'],
        ['position', 'id'],
        ['published_at', 'id'],
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_guides');
  },
});
