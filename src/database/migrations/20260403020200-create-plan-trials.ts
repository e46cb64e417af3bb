import { column, defineMigration } from '../migration.js';

/** Who has tried which product. A plan may be gone, and its trial was used nevertheless. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plan_trials', {
      columns: {
        user_id: column.reference('portal_users', { onDelete: 'cascade' }),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        plan_id: column.bigint(),
        started_at: column.datetime(),
        ends_at: column.datetime(),
        noticed_at: column.datetime({ nullable: true }),
        ended_at: column.datetime({ nullable: true }),
      },
      primaryKey: ['user_id', 'product_id'],
      indexes: [['product_id'], ['ended_at', 'ends_at']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plan_trials');
  },
});
