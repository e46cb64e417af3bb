import { column, defineMigration } from '../migration.js';

/**
 * `name_key` is the name in lower case: names are unique per developer, ignoring case. Restrict, because a developer
 * with apps must not be deleted without the gateway.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_apps', {
      columns: {
        id: column.id(),
        user_id: column.reference('portal_users', { onDelete: 'restrict' }),
        name: column.code(100),
        name_key: column.code(100),
        display_name: column.string(200),
        description: column.text(),
        callback_url: column.string(2048, { nullable: true }),
        status: column.code(16),
        status_reason: column.string(500, { nullable: true }),
        revoked_by: column.code(16, { nullable: true }),
        sync_state: column.code(16),
        gateway_app_id: column.code(255, { nullable: true }),
        ...column.timestamps(),
      },
      unique: [['user_id', 'name_key']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['status', 'created_at', 'id'],
        ['name', 'id'],
        ['display_name', 'id'],
        ['user_id', 'created_at', 'id'],
        ['user_id', 'status', 'created_at', 'id'],
        ['sync_state', 'updated_at'],
        ['gateway_app_id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_apps');
  },
});
