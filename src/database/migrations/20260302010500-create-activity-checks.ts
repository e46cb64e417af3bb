import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_activity_checks';

/** How far the background job has verified the hash chain of the activity log, in one row, and what it found. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable(TABLE, {
      columns: {
        id: column.integer(),
        position_id: column.bigint(),
        position_hash: column.key(64),
        verified_id: column.bigint({ nullable: true }),
        verified_at: column.datetime({ nullable: true }),
        fault_id: column.bigint({ nullable: true }),
        fault_reason: column.string(255, { nullable: true }),
        fault_at: column.datetime({ nullable: true }),
        seal: column.key(64),
      },
      primaryKey: ['id'],
    });
    await schema.execute(
      `INSERT INTO ${TABLE} (id, position_id, position_hash, seal)
       SELECT 1, 0, '', '' WHERE NOT EXISTS (SELECT 1 FROM ${TABLE})`,
    );
  },
  down: (schema) => schema.dropTable(TABLE),
});
