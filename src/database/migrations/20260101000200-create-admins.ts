import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_admins', {
      columns: {
        id: column.id(),
        name: column.string(200),
        email: column.code(254),
        password_hash: column.code(255),
        status: column.code(16),
        auth_epoch: column.integer({ default: 0 }),
        last_login_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['email']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['status', 'created_at', 'id'],
        ['name', 'id'],
        ['last_login_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_admins');
  },
});
