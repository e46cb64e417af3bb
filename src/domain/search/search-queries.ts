import { placeholders, type Database, type Transaction } from '../../database/index.js';
import type { Viewer } from '../catalog/index.js';
import type { Choices, FullText, Sql } from './full-text.js';
import { ANY_LOCALE, type SearchType } from './search-entry.js';
import type { SearchSource } from './source.js';

/** Who looks for what. */
export interface Asked {
  readonly terms: readonly Choices[];
  readonly viewer: Viewer;
  readonly locale: string;
  /** null: all. */
  readonly type: SearchType | null;
}

export interface Candidate {
  readonly id: number;
  readonly type: SearchType;
  readonly name: string;
  readonly summary: string;
}

interface CountedCandidate extends Candidate {
  readonly total: number;
}

interface Candidates {
  /** The best entries by the words in them, the best first. */
  readonly candidates: readonly Candidate[];
  /** Of all entries that the viewer may find; uncounted, at most one more than were read. */
  readonly total: number;
}

export interface FoundRow extends Candidate {
  readonly source: string;
  readonly recordId: number;
  readonly place: string;
  readonly body: string;
  /** null for what belongs to none. */
  readonly productSlug: string | null;
  readonly productName: string | null;
}

/** A rule of who sees what, over rows of a table that has `source`, `record_id` and `product_id`. */
function visibleRows(sources: readonly SearchSource[], viewer: Viewer, alias: string): Sql {
  const rules = sources.map((source) => ({ name: source.name, ...source.visible(viewer, alias) }));
  return {
    sql: `(${rules.map(({ sql }) => `(${alias}.source = ? AND ${sql})`).join(' OR ')})`,
    values: rules.flatMap(({ name, values }) => [name, ...values]),
  };
}

/** Reads the index. What a viewer may not see is left out by every statement itself: no count and no order tells of it. */
export class SearchQueries {
  constructor(
    private readonly database: Database,
    private readonly fullText: FullText,
    private readonly sources: readonly SearchSource[],
  ) {}

  /** @param counts false: only whether there are more */
  async findCandidates(asked: Asked, limit: number, offset: number, counts: boolean): Promise<Candidates> {
    if (counts || !this.fullText.comesSorted) return this.countCandidates(asked, limit, offset);
    const matches = this.selectVisible(asked);
    const rows = await this.readBest<Candidate>({
      sql: `SELECT m.id AS id, m.score AS score ${matches.sql} LIMIT ${limit + 1} OFFSET ${offset}`,
      values: matches.values,
    });
    return { candidates: rows.slice(0, limit), total: rows.length === 0 ? 0 : offset + rows.length };
  }

  private async countCandidates(asked: Asked, limit: number, offset: number): Promise<Candidates> {
    const matches = this.selectVisible(asked);
    const rows = await this.readBest<CountedCandidate>(
      {
        sql: `SELECT m.id AS id, m.score AS score, COUNT(*) OVER () AS total ${matches.sql}
          ORDER BY m.score DESC, m.id LIMIT ${limit} OFFSET ${offset}`,
        values: matches.values,
      },
      ', f.total AS total',
    );
    return { candidates: rows, total: Number(rows[0]?.total ?? 0) };
  }

  private selectVisible({ terms, viewer, locale, type }: Asked): Sql {
    const matches = this.fullText.select(terms, type);
    const visible = visibleRows(this.sources, viewer, 'm');
    return {
      sql: `FROM (${matches.sql}) m WHERE m.locale IN (?, ?) AND ${visible.sql}`,
      values: [...matches.values, ANY_LOCALE, locale, ...visible.values],
    };
  }

  // The texts are read of the best alone.
  private readBest<Row extends Candidate>(best: Sql, more = ''): Promise<Row[]> {
    return this.database.select<Row>(
      `SELECT e.id AS id, e.type AS type, e.name AS name, e.summary AS summary${more}
       FROM (${best.sql}) f CROSS JOIN portal_search_entries e ON e.id = f.id
       ORDER BY f.score DESC, e.id`,
      best.values,
    );
  }

  /** @param ids as {@link findCandidates} gave them; who sees them is asked again */
  readFound(ids: readonly number[], viewer: Viewer, locale: string): Promise<FoundRow[]> {
    const visible = visibleRows(this.sources, viewer, 'e');
    return this.database.select<FoundRow>(
      `SELECT e.id AS id, e.type AS type, e.name AS name, e.summary AS summary, e.body AS body, e.place AS place,
         e.source AS source, e.record_id AS recordId, p.slug AS productSlug, COALESCE(t.name, p.name) AS productName
       FROM portal_search_entries e LEFT JOIN portal_products p ON p.id = e.product_id
       LEFT JOIN portal_product_translations t ON t.product_id = p.id AND t.locale = ?
       WHERE e.id IN (${placeholders(ids)}) AND ${visible.sql}`,
      [locale, ...ids, ...visible.values],
    );
  }

  /**
   * Words that share at least so many trigrams with a misspelt one, in what the viewer may see.
   * @param lengths the shortest and the longest
   */
  async findSimilar(
    grams: readonly string[],
    viewer: Viewer,
    { shared, longest }: { readonly shared: number; readonly longest: number },
  ): Promise<string[]> {
    const visible = visibleRows(this.sources, viewer, 'w');
    const rows = await this.database.select<{ word: string }>(
      `SELECT c.word AS word FROM (SELECT g.word AS word, COUNT(*) AS hits FROM portal_search_grams g
         WHERE g.gram IN (${placeholders(grams)}) AND g.length <= ? GROUP BY g.word HAVING COUNT(*) >= ?) c
       WHERE EXISTS (SELECT 1 FROM portal_search_words w WHERE w.word = c.word AND ${visible.sql})
       ORDER BY c.hits DESC, c.word LIMIT ${MOST_SIMILAR}`,
      [...grams, longest, shared, ...visible.values],
    );
    return rows.map(({ word }) => word);
  }
}

const MOST_SIMILAR = 100;

/** Records that wait to be indexed, the ones that wait longest first. */
export function findChanged(database: Database, limit: number): Promise<{ source: string; recordId: number }[]> {
  return database.select(
    `SELECT c.source AS source, c.record_id AS recordId FROM portal_search_changes c
     GROUP BY c.source, c.record_id ORDER BY MIN(c.id) LIMIT ${limit}`,
  );
}

/** How many records wait, and since when. */
export async function readBacklog(database: Database): Promise<{ records: number; since: Date | null }> {
  const [row] = await database.select<{ records: number; since: Date | null }>(
    `SELECT COUNT(*) AS records, MIN(c.since) AS since FROM (SELECT MIN(created_at) AS since FROM portal_search_changes
       GROUP BY source, record_id) c`,
    [],
    { decode: { since: 'date' } },
  );
  return { records: Number(row?.records), since: row?.since ?? null };
}

/** Adds to what was looked for in vain. */
export async function addMiss(
  database: Database,
  miss: { readonly day: string; readonly locale: string; readonly query: string; readonly count: number },
  transaction: Transaction,
): Promise<void> {
  const { day, locale, query, count } = miss;
  const end =
    database.dialect === 'sqlite'
      ? 'ON CONFLICT (day, locale, query) DO UPDATE SET count = count + excluded.count'
      : 'ON DUPLICATE KEY UPDATE count = count + VALUES(count)';
  await database.execute(
    `INSERT INTO portal_search_misses (day, locale, query, count) VALUES (?, ?, ?, ?) ${end}`,
    [day, locale, query, count],
    { transaction },
  );
}
