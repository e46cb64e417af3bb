import { column, defineMigration } from '../migration.js';

/** Milliseconds; the columns count answers that took at most as long, and longer than the one before. */
const BOUNDS = [
  1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000,
];
const counts = [
  ...['successes', 'redirects', 'client_errors', 'server_errors', 'others', 'bytes'],
  ...BOUNDS.map((bound) => `up_to_${bound}`),
  'longer',
];

/** What APIs answered, as proxies report it; beside the calls of `portal_usage_hours`, never added to them. */
export const migration = defineMigration({
  async up(schema) {
    for (const unit of ['hour', 'day']) {
      await schema.createTable(`portal_answer_${unit}s`, {
        columns: {
          app_id: column.bigint(),
          [unit]: column.integer(),
          credential_id: column.bigint(),
          product_id: column.bigint(),
          ...Object.fromEntries(counts.map((name) => [name, column.bigint()])),
        },
        primaryKey: ['app_id', unit, 'credential_id', 'product_id'],
        indexes: [[unit], ['product_id', unit]],
      });
    }
    await schema.createTable('portal_usage_batches', {
      columns: { id: column.key(64), content: column.key(64), received_at: column.datetime() },
      primaryKey: ['id'],
      indexes: [['received_at']],
    });
  },
  async down(schema) {
    for (const name of ['usage_batches', 'answer_days', 'answer_hours']) await schema.dropTable(`portal_${name}`);
  },
});
