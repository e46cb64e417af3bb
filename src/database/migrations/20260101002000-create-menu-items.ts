import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_menu_items', {
      columns: {
        id: column.id(),
        menu_id: column.reference('portal_menus', { onDelete: 'cascade' }),
        parent_id: column.reference('portal_menu_items', { onDelete: 'cascade', nullable: true }),
        position: column.integer(),
        label: column.string(200),
        url: column.string(2048, { nullable: true }),
        route: column.string(255, { nullable: true }),
        visibility: column.code(16),
        ...column.timestamps(),
      },
      indexes: [
        ['menu_id', 'position', 'id'],
        ['parent_id', 'position'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_menu_items');
  },
});
