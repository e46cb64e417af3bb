import { column, defineMigration } from '../migration.js';

/** The portal's own ids, by which every gateway recognises our apps and keys, whatever they are called there. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_gateway_apps', 'portal_id', column.code(64, { default: '' }));
    await schema.addColumn('portal_gateway_keys', 'portal_id', column.code(64, { default: '' }));
  },
  async down(schema) {
    await schema.dropColumn('portal_gateway_keys', 'portal_id');
    await schema.dropColumn('portal_gateway_apps', 'portal_id');
  },
});
