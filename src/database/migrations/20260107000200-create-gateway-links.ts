import { column, defineMigration } from '../migration.js';

/**
 * Who a developer is at the gateway, whatever becomes of their e-mail (S70). No foreign key: the gateway is cleaned up
 * after the account has gone. An imported app may have a name there that no app of the portal can have.
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
