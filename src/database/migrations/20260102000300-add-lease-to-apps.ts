import { column, defineMigration } from '../migration.js';

/** Serializes changes to an app and its keys across replicas, because each spans two systems. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_apps', 'lease_token', column.code(36, { nullable: true }));
    await schema.addColumn('portal_apps', 'lease_until', column.datetime({ nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_apps', 'lease_until');
    await schema.dropColumn('portal_apps', 'lease_token');
  },
});
