import { column, defineMigration } from '../migration.js';

const limit = () => column.integer({ nullable: true });

/** What an app may call of a product beyond its plan. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plan_overrides', {
      columns: {
        id: column.id(),
        app_id: column.reference('portal_apps', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        state: column.code(16),
        rate_per_second: limit(),
        rate_per_minute: limit(),
        rate_per_hour: limit(),
        quota_per_day: limit(),
        quota_per_month: limit(),
        quota_per_anchored_month: limit(),
        is_exempt: column.boolean({ default: false }),
        reason: column.string(500),
        ends_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      indexes: [
        ['product_id', 'app_id', 'state'],
        ['app_id', 'id'],
        ['app_id', 'created_at', 'id'],
        ['app_id', 'updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plan_overrides');
  },
});
