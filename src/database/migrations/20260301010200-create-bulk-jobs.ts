import { column, defineMigration } from '../migration.js';

/**
 * Work on many records that admins start, and what became of each record. No foreign key to the account: a job whose admin is
 * gone is still to be ended.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_bulk_jobs', {
      columns: {
        id: column.id(),
        uuid: column.key(36),
        admin_id: column.bigint(),
        auth_epoch: column.integer(),
        token: column.key(64),
        kind: column.code(16),
        resource: column.code(64),
        action: column.code(64),
        operation: column.code(100),
        query: column.json(),
        body: column.json({ nullable: true }),
        locale: column.code(16),
        state: column.code(16),
        reason: column.code(32, { nullable: true }),
        is_stopping: column.boolean(),
        is_walked: column.boolean(),
        last_id: column.bigint(),
        cursor: column.text({ nullable: true }),
        total: column.integer(),
        done: column.integer(),
        failed: column.integer(),
        skipped: column.integer(),
        claim: column.key(36, { nullable: true }),
        claimed_until: column.datetime({ nullable: true }),
        started_at: column.datetime({ nullable: true }),
        ended_at: column.datetime({ nullable: true }),
        ...column.timestamps(),
      },
      unique: [['uuid'], ['admin_id', 'token']],
      indexes: [
        ['state', 'updated_at', 'id'],
        ['admin_id', 'id'],
      ],
    });
    await schema.createTable('portal_bulk_rows', {
      columns: {
        id: column.id(),
        job_id: column.reference('portal_bulk_jobs', { onDelete: 'cascade' }),
        record_key: column.code(100),
        params: column.json({ nullable: true }),
        payload: column.longtext({ nullable: true }),
        state: column.code(16),
        status: column.integer({ nullable: true }),
        message: column.string(500, { nullable: true }),
        claim: column.key(36, { nullable: true }),
        started_at: column.datetime({ nullable: true }),
      },
      unique: [['job_id', 'record_key']],
      indexes: [['job_id', 'state', 'id']],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_bulk_rows');
    await schema.dropTable('portal_bulk_jobs');
  },
});
