import { column, defineMigration } from '../migration.js';

/** Which developer has seen which key in full: made, rotated or revealed it. Of a deleted account there is no name. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_key_sights', {
      columns: {
        id: column.id(),
        credential_id: column.reference('portal_credentials', { onDelete: 'cascade' }),
        user_id: column.reference('portal_users', { onDelete: 'set null', nullable: true }),
        seen_at: column.datetime(),
      },
      indexes: [['credential_id', 'user_id'], ['user_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_key_sights');
  },
});
