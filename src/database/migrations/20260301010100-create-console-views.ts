import { column, defineMigration } from '../migration.js';

/** Saved views of lists: a named query, kept by an admin for themselves or for those who have a role. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_console_views', {
      columns: {
        id: column.id(),
        admin_id: column.reference('portal_admins', { onDelete: 'cascade' }),
        role_id: column.reference('portal_roles', { onDelete: 'cascade', nullable: true }),
        resource: column.code(64),
        name: column.string(100),
        query: column.string(2000),
        is_pinned: column.boolean(),
        is_default: column.boolean(),
        ...column.timestamps(),
      },
      indexes: [
        ['admin_id', 'resource'],
        ['role_id', 'resource'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_console_views');
  },
});
