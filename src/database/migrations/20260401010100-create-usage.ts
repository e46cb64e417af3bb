import { column, defineMigration } from '../migration.js';

/** What is counted, in the order of the key. Product and plan are 0 where there is none: NULL would not be unique. */
const dimensions = {
  credential_id: column.bigint(),
  product_id: column.bigint(),
  plan_version_id: column.bigint(),
  outcome: column.code(24),
};
const names = Object.keys(dimensions);

/**
 * Calls at the verify endpoints. No foreign keys: a deletion of an app with a year of calls would exceed the time limit of a
 * statement; `portal_usage_erasures` names the apps whose calls are still to be removed.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_usage_hours', {
      columns: {
        app_id: column.bigint(),
        hour: column.integer(),
        ...dimensions,
        calls: column.bigint(),
        last_at: column.bigint(),
      },
      primaryKey: ['app_id', 'hour', ...names],
      indexes: [['hour'], ['product_id', 'hour']],
    });
    await schema.createTable('portal_usage_days', {
      columns: { app_id: column.bigint(), day: column.integer(), ...dimensions, calls: column.bigint() },
      primaryKey: ['app_id', 'day', ...names],
      indexes: [
        ['day', 'product_id', 'outcome', 'calls'],
        ['product_id', 'day', 'outcome', 'calls'],
      ],
    });
    await schema.createTable('portal_usage_refusals', {
      columns: {
        hour: column.integer(),
        product_id: column.bigint(),
        network: column.code(48),
        outcome: column.code(24),
        calls: column.bigint(),
        last_at: column.bigint(),
      },
      primaryKey: ['hour', 'product_id', 'network', 'outcome'],
    });
    await schema.createTable('portal_usage_flushes', {
      columns: { replica: column.key(36), sequence: column.integer(), flushed_at: column.datetime() },
      primaryKey: ['replica'],
      indexes: [['flushed_at']],
    });
    await schema.createTable('portal_usage_erasures', {
      columns: { app_id: column.bigint(), deleted_at: column.datetime() },
      primaryKey: ['app_id'],
    });
  },
  async down(schema) {
    for (const name of ['erasures', 'flushes', 'refusals', 'days', 'hours']) {
      await schema.dropTable(`portal_usage_${name}`);
    }
  },
});
