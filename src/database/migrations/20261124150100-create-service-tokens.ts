import { column, defineMigration } from '../migration.js';

/** Accounts of machines: a token each, of which only the hash is kept, and the permissions that it has. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_service_tokens', {
      columns: {
        id: column.id(),
        name: column.string(100),
        token_hash: column.key(64),
        ending: column.code(8),
        created_by: column.bigint({ nullable: true }),
        expires_at: column.datetime({ nullable: true }),
        last_used_at: column.datetime({ nullable: true }),
        revoked_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['token_hash']],
      indexes: [
        ['name', 'id'],
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
    await schema.createTable('portal_service_token_permissions', {
      columns: {
        token_id: column.reference('portal_service_tokens', { onDelete: 'cascade' }),
        permission_id: column.reference('portal_permissions', { onDelete: 'cascade' }),
      },
      primaryKey: ['token_id', 'permission_id'],
      indexes: [['permission_id', 'token_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_service_token_permissions');
    await schema.dropTable('portal_service_tokens');
  },
});
