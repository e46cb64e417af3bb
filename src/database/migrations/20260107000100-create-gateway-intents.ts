import { column, defineMigration } from '../migration.js';

/**
 * Changes that the gateway has been, or is about to be, asked for and the portal has not confirmed yet. No foreign keys: an
 * intent outlives the rows it is about until the gateway has followed.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_gateway_intents', {
      columns: {
        id: column.id(),
        kind: column.code(32),
        state: column.code(16),
        user_id: column.bigint(),
        app_id: column.bigint({ nullable: true }),
        credential_id: column.bigint({ nullable: true }),
        product_id: column.bigint({ nullable: true }),
        payload: column.json(),
        attempts: column.integer({ default: 0 }),
        last_error: column.string(500, { nullable: true }),
        due_at: column.datetime(),
        created_at: column.datetime(),
      },
      indexes: [['due_at', 'id'], ['app_id'], ['user_id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_gateway_intents');
  },
});
