import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_product_documents';

/** When the operations of a document came and changed, worked out once when it is given. */
export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn(TABLE, 'operations', column.mediumtext({ nullable: true }));
    await schema.addIndex(TABLE, ['product_id', 'hash', 'id']);
  },
  async down(schema) {
    await schema.dropIndex(TABLE, ['product_id', 'hash', 'id']);
    await schema.dropColumn(TABLE, 'operations');
  },
});
