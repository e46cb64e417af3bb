import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_menus', {
      columns: {
        id: column.id(),
        slug: column.code(100),
        name: column.string(200),
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
    await schema.dropTable('portal_menus');
  },
});
