import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plans', {
      columns: {
        id: column.id(),
        slug: column.code(100),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.mediumtext(),
        price: column.string(100, { default: '' }),
        price_url: column.string(2048, { nullable: true }),
        position: column.integer({ default: 0 }),
        approval: column.code(16),
        key_lifetime: column.integer({ nullable: true }),
        status: column.code(16),
        ...column.timestamps(),
      },
      unique: [['slug']],
      indexes: [
        ['position', 'id'],
        ['name', 'id'],
        ['status', 'id'],
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plans');
  },
});
