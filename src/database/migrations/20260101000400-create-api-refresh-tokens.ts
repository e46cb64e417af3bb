import { column, defineMigration } from '../migration.js';

/** At most one successor per generation of a family: unique (family, counter) decides between parallel rotations. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_api_refresh_tokens', {
      columns: {
        id: column.id(),
        token_hash: column.key(64),
        family: column.key(32, { references: { table: 'portal_sessions', column: 'sid', onDelete: 'cascade' } }),
        counter: column.integer(),
        expires_at: column.datetime(),
        rotated_at: column.datetime({ nullable: true }),
        revoked_at: column.datetime({ nullable: true }),
        created_at: column.datetime(),
      },
      unique: [['token_hash'], ['family', 'counter']],
      indexes: [['expires_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_api_refresh_tokens');
  },
});
