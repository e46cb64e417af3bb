import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_role_permissions', {
      columns: {
        role_id: column.reference('portal_roles', { onDelete: 'cascade' }),
        permission_id: column.reference('portal_permissions', { onDelete: 'cascade' }),
      },
      primaryKey: ['role_id', 'permission_id'],
      indexes: [['permission_id', 'role_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_role_permissions');
  },
});
