import { column, defineMigration } from '../migration.js';

/** Every document that a product ever had, each text once, so that any two can be compared. */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_product_texts', {
      columns: {
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        hash: column.key(64),
        document: column.longtext(),
      },
      primaryKey: ['product_id', 'hash'],
    });
    await schema.createTable('portal_product_documents', {
      columns: {
        id: column.id(),
        product_id: column.reference('portal_products', { onDelete: 'cascade' }),
        version_id: column.reference('portal_product_versions', { onDelete: 'set null', nullable: true }),
        hash: column.key(64),
        before_hash: column.key(64, { nullable: true }),
        author_type: column.code(16),
        author_id: column.bigint({ nullable: true }),
        author_name: column.string(200, { nullable: true }),
        source_commit: column.string(100, { nullable: true }),
        source_url: column.text({ nullable: true }),
        reason: column.string(500, { nullable: true }),
        breaking: column.integer({ nullable: true }),
        warnings: column.integer({ nullable: true }),
        infos: column.integer({ nullable: true }),
        created_at: column.datetime(),
      },
      indexes: [
        ['product_id', 'created_at', 'id'],
        ['product_id', 'version_id', 'id'],
      ],
    });
    // What products have today is the beginning of their history.
    await schema.execute(
      `INSERT INTO portal_product_texts (product_id, hash, document)
       SELECT p.id, p.spec_hash, s.document FROM portal_products p JOIN portal_product_specs s ON s.product_id = p.id
       WHERE p.spec_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM portal_product_texts t WHERE t.product_id = p.id AND t.hash = p.spec_hash)`,
    );
    await schema.execute(
      `INSERT INTO portal_product_documents (product_id, hash, author_type, created_at)
       SELECT p.id, p.spec_hash, 'system', s.updated_at
       FROM portal_products p JOIN portal_product_specs s ON s.product_id = p.id
       WHERE p.spec_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM portal_product_documents d WHERE d.product_id = p.id AND d.hash = p.spec_hash)`,
    );
  },
  async down(schema) {
    await schema.dropTable('portal_product_documents');
    await schema.dropTable('portal_product_texts');
  },
});
