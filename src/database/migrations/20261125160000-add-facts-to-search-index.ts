import { defineMigration, type Migration } from '../migration.js';

type Schema = Parameters<Migration['up']>[0];

const TABLE = 'portal_search_index';
const CODE = 'VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL';
const COLUMNS = {
  ...{ source: CODE, record_id: 'BIGINT NULL', product_id: 'BIGINT NULL', type: CODE, locale: CODE },
};
/** Kinds of which there are few, with the letters of their words. */
const LETTERS = { product: 'p', guide: 'g', workflow: 'w', news: 'n', change: 'c' };

/**
 * What decides who finds an entry beside its words, and the words of kinds of which there are few under marks of their own: one
 * read of the index tells all. SQLite keeps no columns beside its words. Everything is found meanwhile as before, and indexed
 * anew in the background, as a replica of the version before knows nothing of this.
 */
export const migration = defineMigration({
  async up(schema) {
    if (schema.dialect === 'sqlite') return;
    if (!(await hasColumns(schema))) await change(schema, (name, type) => `ADD COLUMN ${name} ${type}`);
    await schema.execute(
      `UPDATE ${TABLE} i JOIN portal_search_entries e ON e.id = i.entry_id
       SET i.source = e.source, i.record_id = e.record_id, i.product_id = e.product_id, i.type = e.type, i.locale = e.locale`,
    );
    for (const [type, letter] of Object.entries(LETTERS)) {
      await schema.execute(
        `UPDATE ${TABLE} SET words = CONCAT(words, REPLACE(REPLACE(CONCAT(' ', words), ' zz', ' x${letter}'), ' yy', ' w${letter}'))
         WHERE type = ? AND words NOT LIKE ?`,
        [type, `% x${letter}%`],
      );
    }
  },
  async down(schema) {
    if (schema.dialect === 'sqlite') return;
    if (await hasColumns(schema)) await change(schema, (name) => `DROP COLUMN ${name}`);
  },
});

/** All at once: the table is copied for it. */
function change(schema: Schema, clauseOf: (name: string, type: string) => string): Promise<void> {
  const clauses = Object.entries(COLUMNS).map(([name, type]) => clauseOf(name, type));
  return schema.execute(`ALTER TABLE ${TABLE} ${clauses.join(', ')}`);
}

async function hasColumns(schema: Schema): Promise<boolean> {
  const rows = await schema.select(
    'SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
    [TABLE, 'locale'],
  );
  return rows.length > 0;
}
