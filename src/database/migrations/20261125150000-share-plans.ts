import { column, defineMigration } from '../migration.js';

/** Whether all apps of an owner share what a version of a plan allows; of those that are there each app has it for itself. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_plan_versions', 'is_shared', column.boolean({ default: false }));
  },
  async down(schema) {
    await schema.dropColumn('portal_plan_versions', 'is_shared');
  },
});
