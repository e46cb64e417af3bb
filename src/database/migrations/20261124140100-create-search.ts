import { column, defineMigration } from '../migration.js';

const scope = { source: column.code(16), record_id: column.bigint() };
const TABLES = ['misses', 'grams', 'words', 'changes', 'scopes', 'index', 'entries'];

/**
 * What can be found, and its words in the full-text index of the database. Words are written as `search/full-text.ts`
 * prepares them, so that no list of stop words and no shortest length of the server applies.
 */
export const migration = defineMigration({
  async up(schema) {
    await schema.createTable('portal_search_entries', {
      columns: {
        id: column.id(),
        ...scope,
        product_id: column.bigint({ nullable: true }),
        type: column.code(16),
        place: column.code(500),
        locale: column.code(16),
        name: column.string(300),
        summary: column.string(600),
        body: column.mediumtext(),
        digest: column.key(64),
      },
      indexes: [['source', 'record_id'], ['product_id']],
    });
    await schema.execute(
      schema.dialect === 'sqlite'
        ? `CREATE VIRTUAL TABLE IF NOT EXISTS portal_search_index USING fts5(title, summary, body, content='',
             contentless_delete=1, tokenize='unicode61 remove_diacritics 0', prefix='1 2 3 4')`
        : `CREATE TABLE IF NOT EXISTS portal_search_index (
             entry_id BIGINT NOT NULL PRIMARY KEY,
             words MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
             FULLTEXT KEY portal_search_index_words (words)
           ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci ROW_FORMAT=DYNAMIC`,
    );
    await schema.createTable('portal_search_scopes', {
      columns: { ...scope, version: column.integer(), format: column.code(100), changed_at: column.datetime() },
      primaryKey: ['source', 'record_id'],
    });
    await schema.createTable('portal_search_changes', {
      columns: { id: column.id(), ...scope, created_at: column.datetime() },
      indexes: [['source', 'record_id', 'id']],
    });
    await schema.createTable('portal_search_words', {
      columns: { word: column.code(40), ...scope, product_id: column.bigint({ nullable: true }) },
      primaryKey: ['word', 'source', 'record_id'],
      indexes: [['source', 'record_id']],
    });
    await schema.createTable('portal_search_grams', {
      columns: { gram: column.code(3), word: column.code(40), length: column.integer() },
      primaryKey: ['gram', 'word'],
    });
    await schema.createTable('portal_search_misses', {
      columns: {
        id: column.id(),
        day: column.code(10),
        locale: column.code(16),
        query: column.code(100),
        count: column.integer(),
      },
      unique: [['day', 'locale', 'query']],
      indexes: [
        ['day', 'id'],
        ['count', 'id'],
        ['query', 'id'],
      ],
    });
  },
  async down(schema) {
    for (const name of TABLES) await schema.dropTable(`portal_search_${name}`);
  },
});
