import { column, defineMigration } from '../migration.js';

/** Ways into a team without an invitation: mail domains, the requests of people who have an address there, and codes of admins. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_team_domains', {
      columns: {
        id: column.id(),
        team_id: column.reference('portal_teams', { onDelete: 'cascade' }),
        domain: column.code(253),
        mode: column.code(16),
        role: column.code(32),
        ...column.timestamps(),
      },
      unique: [['team_id', 'domain']],
      indexes: [['domain'], ['team_id', 'created_at', 'id']],
    });
    await schema.createTable('portal_team_requests', {
      columns: {
        id: column.id(),
        team_id: column.reference('portal_teams', { onDelete: 'cascade' }),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        state: column.code(16),
        ...column.timestamps(),
      },
      unique: [['team_id', 'user_id']],
      indexes: [
        ['user_id', 'state'],
        ['team_id', 'state', 'created_at', 'id'],
        ['team_id', 'created_at', 'id'],
      ],
    });
    await schema.createTable('portal_team_codes', {
      columns: {
        id: column.id(),
        team_id: column.reference('portal_teams', { onDelete: 'cascade' }),
        name: column.string(100),
        role: column.code(32),
        code_hash: column.key(64),
        max_uses: column.integer(),
        uses: column.integer(),
        expires_at: column.datetime(),
        revoked_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['code_hash']],
      indexes: [['team_id', 'created_at', 'id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_team_codes');
    await schema.dropTable('portal_team_requests');
    await schema.dropTable('portal_team_domains');
  },
});
