import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plan_versions', {
      columns: {
        id: column.id(),
        plan_id: column.reference('portal_plans', { onDelete: 'cascade' }),
        number: column.integer(),
        status: column.code(16),
        rate_per_second: column.integer({ nullable: true }),
        rate_per_minute: column.integer({ nullable: true }),
        rate_per_hour: column.integer({ nullable: true }),
        quota_per_day: column.integer({ nullable: true }),
        quota_per_month: column.integer({ nullable: true }),
        quota_per_anchored_month: column.integer({ nullable: true }),
        concurrency: column.integer({ nullable: true }),
        enforcement: column.code(16),
        grace_percent: column.integer({ default: 0 }),
        activated_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['plan_id', 'number']],
      indexes: [
        ['plan_id', 'status'],
        ['plan_id', 'created_at', 'id'],
        ['plan_id', 'updated_at', 'id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plan_versions');
  },
});
