import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_admin_roles', {
      columns: {
        admin_id: column.reference('portal_admins', { onDelete: 'cascade' }),
        role_id: column.reference('portal_roles', { onDelete: 'restrict' }),
      },
      primaryKey: ['admin_id', 'role_id'],
      indexes: [['role_id', 'admin_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_admin_roles');
  },
});
