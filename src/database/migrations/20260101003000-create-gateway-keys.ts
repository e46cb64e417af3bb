import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_keys', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_gateway_apps', { onDelete: 'cascade' }),
        key_hash: column.key(64),
        key_sealed: column.text(),
        secret_hash: column.key(64),
        secret_sealed: column.text(),
        status: column.code(16),
        issued_at: column.datetime(),
        expires_at: column.datetime({ nullable: true }),
        last_used_at: column.datetime({ nullable: true }),
      },
      unique: [['key_hash']],
      indexes: [['app_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_gateway_keys');
  },
});
