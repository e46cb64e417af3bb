import { column, defineMigration } from '../migration.js';

/**
 * Idempotent requests: hashes of the key and the request, and the encrypted answer once there is one. Until then
 * `lease_until` limits how long the first request may run.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_idempotency_keys', {
      columns: {
        id: column.id(),
        key_hash: column.key(64),
        fingerprint: column.key(64),
        lease_token: column.code(36),
        lease_until: column.datetime(),
        answer: column.mediumtext({ nullable: true }),
        created_at: column.datetime(),
        expires_at: column.datetime(),
      },
      unique: [['key_hash']],
      indexes: [['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_idempotency_keys');
  },
});
