import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_deprecation_acknowledgements', {
      columns: {
        deprecation_id: column.reference('portal_deprecations', { onDelete: 'cascade' }),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        acknowledged_at: column.datetime(),
      },
      primaryKey: ['deprecation_id', 'app_id'],
      indexes: [['app_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_deprecation_acknowledgements');
  },
});
