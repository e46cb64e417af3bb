import { column, defineMigration } from '../migration.js';

/** Never holds the key itself, only its first and last four characters and an encrypted reference for the gateway. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_credentials', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        key_hint: column.code(16),
        gateway_key_ref: column.text({ nullable: true }),
        status: column.code(16),
        status_reason: column.string(500, { nullable: true }),
        revoked_by: column.code(16, { nullable: true }),
        issued_at: column.datetime(),
        expires_at: column.datetime({ nullable: true }),
        replaced_by: column.reference('portal_credentials', { onDelete: 'set null', nullable: true }),
        sync_state: column.code(16),
        ...column.timestamps(),
      },
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['status', 'created_at', 'id'],
        ['app_id', 'created_at', 'id'],
        ['issued_at', 'id'],
        ['expires_at', 'id'],
        ['replaced_by'],
        ['sync_state', 'updated_at'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_credentials');
  },
});
