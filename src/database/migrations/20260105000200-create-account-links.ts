import { column, defineMigration } from '../migration.js';

/** E-mail tokens; only their hashes are stored. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_account_links', {
      columns: {
        id: column.id(),
        purpose: column.code(16),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        token_hash: column.key(64),
        email: column.code(254),
        expires_at: column.datetime(),
        used_at: column.datetime({ nullable: true }),
        created_at: column.datetime(),
      },
      unique: [['token_hash']],
      indexes: [['user_id', 'purpose'], ['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_account_links');
  },
});
