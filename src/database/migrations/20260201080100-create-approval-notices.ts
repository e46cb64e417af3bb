import { column, defineMigration } from '../migration.js';

/**
 * What admins were told of while it waits for their approval. The row of the kind `mail` says when the last mail went out.
 * No foreign keys: a row whose subject is gone is removed by the job that reads them.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_approval_notices', {
      columns: {
        kind: column.code(16),
        subject_id: column.bigint(),
        part_id: column.bigint(),
        noticed_at: column.datetime(),
      },
      primaryKey: ['kind', 'subject_id', 'part_id'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_approval_notices');
  },
});
