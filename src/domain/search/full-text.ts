import { placeholders, type Database, type SqlValue, type Transaction } from '../../database/index.js';
import type { SearchType } from './search-entry.js';
import { tellingWordsOf, wordsOf } from './search-text.js';

/** A term with the words that may stand for it. */
export type Choices = readonly [string, ...string[]];

/** A piece of SQL with its values. */
export interface Sql {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** An entry with its texts, whose words are indexed by importance. */
export interface IndexedEntry {
  readonly id: number;
  readonly source: string;
  readonly recordId: number;
  readonly productId: number | null;
  readonly type: SearchType;
  readonly locale: string;
  readonly name: string;
  readonly summary: string;
  readonly body: string;
}

/** The full-text index of a database. Every term is the beginning of a word; one of up to two letters is
 * that in the name, and a whole word in the summary. */
export interface FullText {
  /** Whether the rows of {@link select} come the best first without being asked to, and each is read when it is fetched. */
  readonly comesSorted: boolean;
  /**
   * A SELECT of the entries in which every term stands: `id`, `score`, the larger the better, and what decides who finds
   * them: `source`, `record_id`, `product_id`, `type` and `locale`.
   * @param type null: of all
   */
  select(terms: readonly Choices[], type: SearchType | null): Sql;
  insert(entries: readonly IndexedEntry[], transaction: Transaction): Promise<void>;
  remove(ids: readonly number[], transaction: Transaction): Promise<void>;
  /** Removes what belongs to no entry, and what deletions have left behind. */
  tidy(): Promise<void>;
}

export function openFullText(database: Database): FullText {
  return database.dialect === 'sqlite' ? new SqliteFullText(database) : new MysqlFullText(database);
}

/** What decides who finds an entry, as columns. */
const FACTS = ['source', 'record_id', 'product_id', 'type', 'locale'];
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
    valuesOf: (entry: T) => readonly SqlValue[],
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
  readonly comesSorted = false;

  constructor(database: Database) {
    super(database, 'rowid');
  }

  select(terms: readonly Choices[], type: SearchType | null): Sql {
    // Words are letters and digits, which need no more than the quotes.
    const match = terms.map((choices) => `(${choices.map(beginningOf).join(' OR ')})`).join(' AND ');
    return {
      // The LIMIT keeps SQLite from pulling the statement apart, where `bm25` would be refused; without CROSS JOIN it would begin
      // with all entries instead of the matching ones.
      sql: `SELECT i.id AS id, i.score AS score, ${FACTS.map((fact) => `x.${fact} AS ${fact}`).join(', ')}
        FROM (SELECT rowid AS id, -bm25(portal_search_index, 12, 4, 1) AS score FROM portal_search_index
          WHERE portal_search_index MATCH ? LIMIT -1) i CROSS JOIN portal_search_entries x ON x.id = i.id
        ${type === null ? '' : 'WHERE x.type = ?'}`,
      values: [match, ...(type === null ? [] : [type])],
    };
  }

  insert(entries: readonly IndexedEntry[], transaction: Transaction): Promise<void> {
    const columnsOf = ({ name, summary, body }: IndexedEntry) =>
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
 * FULLTEXT of InnoDB. Words begin with letters of our own: so none is a stop word of the server or shorter than
 * what it indexes (`innodb_ft_min_token_size`, 3 by default), and short terms have words of their own.
 */
const MARK = { word: 'zz', short: 'yy' };
/**
 * Kinds of which there are few have their words a second time, under marks of their own: who looks for products pays nothing for the
 * thousands of operations with the same words. The migration that brought them knows these letters.
 */
const LETTERS: Readonly<Partial<Record<SearchType, string>>> = {
  ...{ product: 'p', guide: 'g', workflow: 'w', news: 'n', change: 'c' },
};
/** How often a word of a name and of a summary is repeated: InnoDB ranks by frequency. */
const WEIGHTS = { name: 6, summary: 2 };

const markOf = (type: SearchType | null) => {
  const letter = type === null ? undefined : LETTERS[type];
  return letter === undefined ? MARK : { word: `x${letter}`, short: `w${letter}` };
};

class MysqlFullText extends IndexRows implements FullText {
  /** InnoDB ranks what it finds before it reads the rows, which takes MariaDB as long again; asked to sort, MariaDB reads them all. */
  readonly comesSorted = true;

  constructor(database: Database) {
    super(database, 'entry_id');
  }

  select(terms: readonly Choices[], type: SearchType | null): Sql {
    const mark = markOf(type);
    const tokenOf = (word: string) => (isShort(word) ? `${mark.short}${word}` : `${mark.word}${word}*`);
    // Parentheses, where one word needs none, would have InnoDB build the same list twice.
    const anyOf = (tokens: readonly string[]) => (tokens.length === 1 ? tokens.join('') : `(${tokens.join(' ')})`);
    const match = terms.map((choices) => `+${anyOf(choices.map(tokenOf))}`).join(' ');
    return {
      sql: `SELECT entry_id AS id, MATCH (words) AGAINST (? IN BOOLEAN MODE) AS score, ${FACTS.join(', ')}
        FROM portal_search_index WHERE MATCH (words) AGAINST (? IN BOOLEAN MODE) ${type === null ? '' : 'AND type = ?'}`,
      values: [match, match, ...(type === null ? [] : [type])],
    };
  }

  insert(entries: readonly IndexedEntry[], transaction: Transaction): Promise<void> {
    const valuesOf = (entry: IndexedEntry) => {
      const { source, recordId, productId, type, locale } = entry;
      return [source, recordId, productId, type, locale, weighted(entry)];
    };
    return this.insertRows(entries, [...FACTS, 'words'], valuesOf, transaction);
  }

  async tidy(): Promise<void> {
    await this.removeStrays();
    await this.database.select('OPTIMIZE TABLE portal_search_index');
  }
}

function weighted({ type, name, summary, body }: IndexedEntry): string {
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
  const marks = LETTERS[type] === undefined ? [MARK] : [MARK, markOf(type)];
  return marks
    .flatMap((mark) => [...words.map((one) => `${mark.word}${one}`), ...short.map((one) => `${mark.short}${one}`)])
    .join(' ');
}
