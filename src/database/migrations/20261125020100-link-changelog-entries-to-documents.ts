import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_changelog_entries';

/** The documents that a drafted entry tells of, which go with their product only, and what its texts were. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn(TABLE, 'document_id', column.bigint({ nullable: true }));
    await schema.addColumn(TABLE, 'previous_document_id', column.bigint({ nullable: true }));
    await schema.addColumn(TABLE, 'drafted_hash', column.key(64, { nullable: true }));
  },
  async down(schema) {
    await schema.dropColumn(TABLE, 'drafted_hash');
    await schema.dropColumn(TABLE, 'previous_document_id');
    await schema.dropColumn(TABLE, 'document_id');
  },
});
