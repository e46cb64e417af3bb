import { column, defineMigration } from '../migration.js';

/** How long a plan may be tried, and which one comes then. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_plans', 'trial_days', column.integer({ nullable: true }));
    const fallback = column.reference('portal_plans', { onDelete: 'restrict', nullable: true });
    await schema.addColumn('portal_plans', 'fallback_plan_id', fallback);
    await schema.addIndex('portal_plans', ['fallback_plan_id']);
    await schema.addColumn('portal_credential_products', 'trial_ends_at', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_credential_products', 'trial_ends_at');
    // MySQL drops an index with its only column, but not before the foreign key that needs it.
    if (schema.dialect === 'sqlite') await schema.dropIndex('portal_plans', ['fallback_plan_id']);
    await schema.dropColumn('portal_plans', 'fallback_plan_id');
    await schema.dropColumn('portal_plans', 'trial_days');
  },
});
