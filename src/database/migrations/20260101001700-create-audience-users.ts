import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_audience_users', {
      columns: {
        audience_id: column.reference('portal_audiences', { onDelete: 'cascade' }),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
      },
      primaryKey: ['audience_id', 'user_id'],
      indexes: [['user_id', 'audience_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_audience_users');
  },
});
