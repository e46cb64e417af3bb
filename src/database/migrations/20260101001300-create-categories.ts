import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_categories', {
      columns: {
        id: column.id(),
        slug: column.code(100),
        name: column.string(200),
        short_description: column.string(500, { default: '' }),
        description: column.mediumtext(),
        thumbnail_url: column.string(2048, { nullable: true }),
        ...column.timestamps(),
      },
      unique: [['slug']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['name', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_categories');
  },
});
