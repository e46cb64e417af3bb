import { column, defineMigration } from '../migration.js';

/**
 * A developer's id at the gateway, independent of their e-mail (S70). No foreign key: the gateway is cleaned up after
 * the account is deleted. An imported app may have a name there that is not valid in the portal.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_links', {
      columns: {
        user_id: column.bigint(),
        gateway_id: column.code(255),
        email: column.code(254),
        created_at: column.datetime(),
      },
      primaryKey: ['user_id'],
      unique: [['gateway_id']],
    });
    await schema.addColumn('portal_apps', 'gateway_name', column.code(255, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn('portal_apps', 'gateway_name');
    await schema.dropTable('portal_gateway_links');
  },
});
