import { column, defineMigration } from '../migration.js';

/** The embedded gateway's own data, separate from the portal's as it would be with an external gateway. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_developers', {
      columns: {
        id: column.key(64),
        email: column.code(254),
        status: column.code(16),
      },
      primaryKey: ['id'],
      indexes: [['email']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_gateway_developers');
  },
});
