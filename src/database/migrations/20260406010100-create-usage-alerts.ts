import { column, defineMigration } from '../migration.js';

/** What developers were told about their usage: the key is why nobody is told twice. Goes with the app, and with the product. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_usage_alerts', {
      columns: {
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        ends_on: column.integer(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        kind: column.code(16),
        quota: column.integer(),
        threshold: column.integer(),
        alerted_at: column.datetime(),
      },
      primaryKey: ['app_id', 'ends_on', 'product_id', 'kind', 'quota', 'threshold'],
      indexes: [['product_id'], ['ends_on']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_usage_alerts');
  },
});
