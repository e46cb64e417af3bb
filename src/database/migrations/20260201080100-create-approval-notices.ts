import { column, defineMigration } from '../migration.js';

/**
 * Pending approvals that admins were notified of. The row of kind `mail` holds the time of the last mail. No foreign
 * keys: the job that reads the rows removes those whose subject is gone.
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
