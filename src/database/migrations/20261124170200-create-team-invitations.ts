import { column, defineMigration } from '../migration.js';

/** Invitations to teams, of which only the hash of the mailed token is kept. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_team_invitations', {
      columns: {
        id: column.id(),
        team_id: column.reference('portal_teams', { onDelete: 'cascade' }),
        email: column.code(254),
        role: column.code(32),
        token_hash: column.key(64),
        state: column.code(16),
        invited_by: column.reference('portal_users', { onDelete: 'set null', nullable: true }),
        expires_at: column.datetime(),
        ...column.timestamps(),
      },
      unique: [['token_hash']],
      indexes: [
        ['team_id', 'created_at', 'id'],
        ['team_id', 'email'],
        ['email', 'state'],
        ['invited_by'],
        ['expires_at'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_team_invitations');
  },
});
