import { column, defineMigration } from '../migration.js';

/** Records that files in a repository describe. Without references: a record that is gone is managed by nobody. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_managed_records', {
      columns: {
        kind: column.key(40),
        record_id: column.bigint(),
        managed_by: column.string(100),
        source: column.string(500, { nullable: true }),
        is_protected: column.boolean({ default: false }),
        updated_at: column.datetime(),
      },
      primaryKey: ['kind', 'record_id'],
    });
  },
  async down(schema) {
    await schema.dropTable('portal_managed_records');
  },
});
