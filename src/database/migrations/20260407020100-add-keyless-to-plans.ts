import { column, defineMigration } from '../migration.js';

/** Plans for calls without a key. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_plans', 'is_keyless', column.boolean({ default: false }));
  },
  async down(schema) {
    await schema.dropColumn('portal_plans', 'is_keyless');
  },
});
