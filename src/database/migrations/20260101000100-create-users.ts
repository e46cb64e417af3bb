import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_users', {
      columns: {
        id: column.id(),
        email: column.code(254),
        first_name: column.string(100),
        last_name: column.string(100),
        password_hash: column.code(255),
        status: column.code(16),
        email_verified_at: column.datetime({ nullable: true }),
        pending_email: column.code(254, { nullable: true }),
        custom_attributes: column.json(),
        auth_epoch: column.integer({ default: 0 }),
        ...column.timestamps(),
      },
      unique: [['email']],
      indexes: [
        ['created_at', 'id'],
        ['updated_at', 'id'],
        ['status', 'created_at', 'id'],
        ['first_name', 'id'],
        ['last_name', 'id'],
        ['pending_email'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_users');
  },
});
