import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_notices', {
      columns: {
        id: column.id(),
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        change_notice_id: column.reference('portal_change_notices', { onDelete: 'cascade' }),
        apps: column.json(),
        created_at: column.datetime(),
        read_at: column.datetime({ nullable: true }),
      },
      unique: [['user_id', 'change_notice_id']],
      indexes: [['user_id', 'created_at', 'id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_notices');
  },
});
