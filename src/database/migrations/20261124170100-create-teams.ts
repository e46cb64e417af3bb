import { column, defineMigration } from '../migration.js';

/**
 * Teams and who is in them. Restrict, because the account of a team must not be deleted without the gateway. Who is in a
 * team is found from both sides.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_teams', {
      columns: {
        id: column.id(),
        account_id: column.reference('portal_users', { onDelete: 'restrict' }),
        name: column.string(100),
        description: column.string(500),
        status: column.code(16),
        members_limit: column.integer({ nullable: true }),
        apps_limit: column.integer({ nullable: true }),
        keys_limit: column.integer({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['account_id']],
      indexes: [
        ['name', 'id'],
        ['status', 'id'],
        ['created_at', 'id'],
        ['updated_at', 'id'],
      ],
    });
    await schema.createTable('portal_team_members', {
      columns: {
        id: column.id(),
        team_id: column.reference('portal_teams', { onDelete: 'cascade' }),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        role: column.code(32),
        muted: column.json(),
        ...column.timestamps(),
      },
      unique: [['team_id', 'user_id']],
      indexes: [
        ['user_id', 'created_at', 'id'],
        ['user_id', 'role'],
        ['team_id', 'role'],
        ['team_id', 'created_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_team_members');
    await schema.dropTable('portal_teams');
  },
});
