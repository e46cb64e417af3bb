import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_apps', {
      columns: {
        id: column.id(),
        developer_id: column.key(64, {
          references: { table: 'portal_gateway_developers', column: 'id', onDelete: 'cascade' },
        }),
        name: column.code(100),
        status: column.code(16),
      },
      unique: [['developer_id', 'name']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_gateway_apps');
  },
});
