import { column, defineMigration } from '../migration.js';

/** Append-only and hash-chained. No foreign keys, because the log outlives the rows it refers to. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_activities', {
      columns: {
        id: column.id(),
        action: column.code(100),
        actor_type: column.code(16),
        actor_id: column.bigint({ nullable: true }),
        subject_type: column.code(50, { nullable: true }),
        subject_id: column.code(100, { nullable: true }),
        subject_label: column.string(255, { nullable: true }),
        changes: column.json({ nullable: true }),
        request_id: column.code(64, { nullable: true }),
        created_at: column.datetime(),
        previous_hash: column.key(64),
        hash: column.key(64),
      },
      indexes: [
        ['created_at', 'id'],
        ['action', 'created_at', 'id'],
        ['actor_type', 'actor_id', 'created_at', 'id'],
        ['subject_type', 'subject_id', 'created_at', 'id'],
        ['request_id'],
      ],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_activities');
  },
});
