import { placeholders, type Database, type SqlValue, type Transaction } from '../../database/index.js';
import { tellingWordsOf, wordsOf } from './search-text.js';

/** A term with the words that may stand for it. */
export type Choices = readonly [string, ...string[]];

/** A piece of SQL with its values. */
export interface Sql {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The texts of an entry, whose words are indexed by importance. */
export interface IndexedTexts {
  readonly id: number;
  readonly name: string;
  readonly summary: string;
  readonly body: string;
}

/** The full-text index of a database. Every term is the beginning of a word; one of up to two letters is
 * that in the name, and a whole word in the summary. */
export interface FullText {
  /** A SELECT of `id` and `score`, the larger the better, of the entries in which every term stands. */
  select(terms: readonly Choices[]): Sql;
  insert(entries: readonly IndexedTexts[], transaction: Transaction): Promise<void>;
  remove(ids: readonly number[], transaction: Transaction): Promise<void>;
  /** Removes what belongs to no entry, and what deletions have left behind. */
  tidy(): Promise<void>;
}

export function openFullText(database: Database): FullText {
  return database.dialect === 'sqlite' ? new SqliteFullText(database) : new MysqlFullText(database);
}

const SHORT = 2;
const MOST_WORDS = 2_000;
const ROWS_PER_STATEMENT = 100;

const isShort = (word: string) => [...word].length <= SHORT;
const distinct = (words: readonly string[]) => [...new Set(words)].slice(0, MOST_WORDS);

async function inBatches<T>(rows: readonly T[], run: (batch: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < rows.length; first += ROWS_PER_STATEMENT) {
    await run(rows.slice(first, first + ROWS_PER_STATEMENT));
  }
}

/** The rows of an index, whichever it is. @param key column with the id of the entry */
class IndexRows {
  constructor(
    protected readonly database: Database,
    private readonly key: string,
  ) {}

  async remove(ids: readonly number[], transaction: Transaction): Promise<void> {
    await inBatches(ids, (batch) => {
      const sql = `DELETE FROM portal_search_index WHERE ${this.key} IN (${placeholders(batch)})`;
      return this.database.execute(sql, batch, { transaction });
    });
  }

  /** @param columns besides the key */
  protected async insertRows<T extends { readonly id: number }>(
    entries: readonly T[],
    columns: readonly string[],
    valuesOf: (entry: T) => readonly string[],
    transaction: Transaction,
  ): Promise<void> {
    const names = [this.key, ...columns];
    await inBatches(entries, (batch) => {
      const rows = batch.map(() => `(${placeholders(names)})`).join(', ');
      const values = batch.flatMap((entry) => [entry.id, ...valuesOf(entry)]);
      const sql = `INSERT INTO portal_search_index (${names.join(', ')}) VALUES ${rows}`;
      return this.database.execute(sql, values, { transaction });
    });
  }

  protected async removeStrays(): Promise<void> {
    const strays = `${this.key} NOT IN (SELECT id FROM portal_search_entries)`;
    await this.database.execute(`DELETE FROM portal_search_index WHERE ${strays}`);
  }
}

/** FTS5. */
class SqliteFullText extends IndexRows implements FullText {
  constructor(database: Database) {
    super(database, 'rowid');
  }

  select(terms: readonly Choices[]): Sql {
    // Words are letters and digits, which need no more than the quotes.
    const match = terms.map((choices) => `(${choices.map(beginningOf).join(' OR ')})`).join(' AND ');
    return {
      // The LIMIT keeps SQLite from pulling the statement apart, where `bm25` would be refused.
      sql: `SELECT rowid AS id, -bm25(portal_search_index, 12, 4, 1) AS score FROM portal_search_index
        WHERE portal_search_index MATCH ? LIMIT -1`,
      values: [match],
    };
  }

  insert(entries: readonly IndexedTexts[], transaction: Transaction): Promise<void> {
    const columnsOf = ({ name, summary, body }: IndexedTexts) =>
      [wordsOf(name), tellingWordsOf(summary), tellingWordsOf(body)].map((words) => distinct(words).join(' '));
    return this.insertRows(entries, ['title', 'summary', 'body'], columnsOf, transaction);
  }

  async tidy(): Promise<void> {
    await this.removeStrays();
    await this.database.execute("INSERT INTO portal_search_index (portal_search_index) VALUES ('optimize')");
  }
}

function beginningOf(word: string): string {
  return isShort(word) ? `({title} : "${word}" * OR {summary} : "${word}")` : `"${word}" *`;
}

/**
 * FULLTEXT of InnoDB. Words begin with two letters of our own: so none is a stop word of the server or shorter than
 * what it indexes (`innodb_ft_min_token_size`, 3 by default), and short terms have words of their own.
 */
const WORD = 'zz';
const SHORT_WORD = 'yy';
/** How often a word of a name and of a summary is repeated: InnoDB ranks by frequency. */
const WEIGHTS = { name: 6, summary: 2 };

class MysqlFullText extends IndexRows implements FullText {
  constructor(database: Database) {
    super(database, 'entry_id');
  }

  select(terms: readonly Choices[]): Sql {
    const tokenOf = (word: string) => (isShort(word) ? `${SHORT_WORD}${word}` : `${WORD}${word}*`);
    const match = terms.map((choices) => `+(${choices.map(tokenOf).join(' ')})`).join(' ');
    return {
      sql: `SELECT entry_id AS id, MATCH (words) AGAINST (? IN BOOLEAN MODE) AS score FROM portal_search_index
        WHERE MATCH (words) AGAINST (? IN BOOLEAN MODE)`,
      values: [match, match],
    };
  }

  insert(entries: readonly IndexedTexts[], transaction: Transaction): Promise<void> {
    return this.insertRows(entries, ['words'], (entry) => [weighted(entry)], transaction);
  }

  async tidy(): Promise<void> {
    await this.removeStrays();
    await this.database.select('OPTIMIZE TABLE portal_search_index');
  }
}

function weighted({ name, summary, body }: IndexedTexts): string {
  const names = distinct(wordsOf(name));
  const letters = names.flatMap((word) => {
    const characters = [...word];
    return Array.from({ length: Math.min(SHORT, characters.length) }, (_, at) => characters.slice(0, at + 1).join(''));
  });
  const summaries = distinct(tellingWordsOf(summary));
  const short = distinct([...letters, ...summaries.filter(isShort)]);
  const repeat = (words: readonly string[], times: number) => Array.from({ length: times }, () => words).flat();
  const words = [
    ...repeat(names, WEIGHTS.name),
    ...repeat(summaries, WEIGHTS.summary),
    ...distinct(tellingWordsOf(body)),
  ];
  return [...words.map((word) => `${WORD}${word}`), ...short.map((word) => `${SHORT_WORD}${word}`)].join(' ');
}
