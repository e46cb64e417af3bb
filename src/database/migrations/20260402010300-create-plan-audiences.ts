import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plan_audiences', {
      columns: {
        plan_id: column.reference('portal_plans', { onDelete: 'cascade' }),
        audience_id: column.reference('portal_audiences', { onDelete: 'restrict' }),
      },
      primaryKey: ['plan_id', 'audience_id'],
      indexes: [['audience_id', 'plan_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plan_audiences');
  },
});
