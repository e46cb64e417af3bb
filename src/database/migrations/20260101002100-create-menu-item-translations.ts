import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_menu_item_translations', {
      columns: {
        menu_item_id: column.reference('portal_menu_items', { onDelete: 'cascade' }),
        locale: column.code(16),
        label: column.string(200),
      },
      primaryKey: ['menu_item_id', 'locale'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_menu_item_translations');
  },
});
