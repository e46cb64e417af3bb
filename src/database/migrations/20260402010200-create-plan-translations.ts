import { column, defineMigration } from '../migration.js';

export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_plan_translations', {
      columns: {
        plan_id: column.reference('portal_plans', { onDelete: 'cascade' }),
        locale: column.code(16),
        name: column.string(200, { nullable: true }),
        short_description: column.string(500, { nullable: true }),
        description: column.mediumtext({ nullable: true }),
      },
      primaryKey: ['plan_id', 'locale'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_plan_translations');
  },
});
