import { column, defineMigration } from '../migration.js';

/** Quotas of an app that an admin let start anew in the middle of their periods. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_quota_resets', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        state: column.code(16),
        calls_by_day: column.json(),
        reason: column.string(500),
        ...column.timestamps(),
      },
      indexes: [
        ['product_id', 'app_id', 'state'],
        ['app_id', 'id'],
        ['app_id', 'created_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_quota_resets');
  },
});
