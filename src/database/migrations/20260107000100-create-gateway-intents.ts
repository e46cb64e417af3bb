import { column, defineMigration } from '../migration.js';

/**
 * Gateway operations that the portal has not confirmed yet. No foreign keys: an intent outlives its rows until the
 * gateway has caught up.
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
