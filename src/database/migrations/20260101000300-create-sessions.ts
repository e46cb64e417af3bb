import { column, defineMigration } from '../migration.js';

/** One row per sign-in. Refresh token families and web sessions reference it, so that ending it ends both. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_sessions', {
      columns: {
        sid: column.key(32),
        context: column.code(16),
        account_id: column.bigint(),
        channel: column.code(8),
        auth_epoch: column.integer(),
        auth_time: column.datetime(),
        ip: column.code(45, { nullable: true }),
        user_agent: column.string(255, { nullable: true }),
        last_seen_at: column.datetime(),
        expires_at: column.datetime(),
        revoked_at: column.datetime({ nullable: true }),
        created_at: column.datetime(),
      },
      primaryKey: ['sid'],
      indexes: [['context', 'account_id', 'created_at', 'sid'], ['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_sessions');
  },
});
