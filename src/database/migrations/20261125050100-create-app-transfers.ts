import { column, defineMigration } from '../migration.js';

/** Apps that are offered to another owner; a row goes when the offer is answered or withdrawn. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_app_transfers', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        from_id: column.reference('portal_users', { onDelete: 'cascade' }),
        to_id: column.reference('portal_users', { onDelete: 'cascade' }),
        created_at: column.datetime(),
      },
      unique: [['app_id']],
      indexes: [['from_id'], ['to_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_app_transfers');
  },
});
