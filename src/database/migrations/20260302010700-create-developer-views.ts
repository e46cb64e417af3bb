import { column, defineMigration } from '../migration.js';

/**
 * Views of the portal as a developer, by the hash of their token. Without references: the end of a view is recorded
 * when its admin or developer is deleted, and a cascade would remove the row before.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_developer_views', {
      columns: {
        id: column.id(),
        token_hash: column.key(64),
        admin_id: column.bigint(),
        user_id: column.bigint(),
        reason: column.string(500),
        started_at: column.datetime(),
        ends_at: column.datetime(),
        ended_at: column.datetime({ nullable: true }),
      },
      unique: [['token_hash']],
      indexes: [['admin_id'], ['user_id'], ['ended_at', 'ends_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_developer_views');
  },
});
