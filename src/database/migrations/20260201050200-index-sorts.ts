import { defineMigration } from '../migration.js';

/** Indexes for the list orders that lacked one; `test/database/sorts.test.ts` checks each against the database. */
const INDEXES: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['portal_users', ['status', 'id']],
  ['portal_admins', ['status', 'id']],
  ['portal_products', ['approval', 'id']],
  ['portal_products', ['visibility', 'id']],
  ['portal_products', ['visibility', 'slug']],
  ['portal_settings', ['setting_group', 'id']],
  ['portal_settings', ['type', 'id']],
  ['portal_settings', ['label', 'id']],
  ['portal_apps', ['status', 'id']],
  ['portal_apps', ['user_id', 'id']],
  ['portal_apps', ['user_id', 'display_name', 'id']],
  ['portal_apps', ['user_id', 'status', 'id']],
  ['portal_apps', ['user_id', 'updated_at', 'id']],
  ['portal_credentials', ['app_id', 'id']],
  ['portal_credentials', ['app_id', 'issued_at', 'id']],
  ['portal_credentials', ['app_id', 'expires_at', 'id']],
  ['portal_credentials', ['app_id', 'updated_at', 'id']],
  ['portal_activities', ['owner_id', 'id']],
];

export const migration = defineMigration({
  async up(schema) {
    for (const [table, columns] of INDEXES) await schema.addIndex(table, columns);
  },
  async down(schema) {
    for (const [table, columns] of [...INDEXES].reverse()) await schema.dropIndex(table, columns);
  },
});
