import { column, defineMigration } from '../migration.js';

/** How developers hear of changes by mail, and which notices wait for the digest of the day. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_change_mails', {
      columns: {
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        delivery: column.code(16),
        digest_due_at: column.datetime({ nullable: true }),
        digested_at: column.datetime({ nullable: true }),
        updated_at: column.datetime(),
      },
      primaryKey: ['user_id'],
      indexes: [['digest_due_at']],
    });
    await schema.addColumn('portal_notices', 'digest', column.code(16, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_notices', 'digest');
    await schema.dropTable('portal_change_mails');
  },
});
