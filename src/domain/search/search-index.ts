import { createHash } from 'node:crypto';
import { mergeRows, Op, UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger } from '../../core/index.js';
import type { FullText } from './full-text.js';
import {
  entryRecord,
  gramRecord,
  scopeRecord,
  searchChangeRecord,
  wordRecord,
  type SearchDocument,
  type SearchScope,
} from './search-entry.js';
import { findChanged, findLastChange } from './search-queries.js';
import { gramsOf, tellingWordsOf, wellFormed } from './search-text.js';
import type { SearchSource } from './source.js';

/** How texts are taken apart. Another one has everything indexed anew. */
const FORMAT = 1;
const BATCH = 50;
const MOST_WAITING = 1_000_000;
const ROWS_PER_STATEMENT = 100;
const LONGEST = { place: 500, name: 300, summary: 600, body: 6_000 };
/** Words of one record that typos are compared with. */
const MOST_WORDS = 3_000;
const SHORTEST_WORD = 3;

/** A record of a source. */
interface Place {
  readonly source: string;
  readonly recordId: number;
}

export interface SearchIndexParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fullText: FullText;
  readonly sources: readonly SearchSource[];
  readonly locales: readonly string[];
}

/**
 * Keeps what can be found. A change is noted in its own transaction and indexed soon after, by any replica: nothing is
 * lost when a process ends in between, and of two that index the same record one gives way.
 */
export class SearchIndex {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: SearchIndexParts) {}

  listen(events: EventBus<Transaction>): void {
    for (const source of this.parts.sources) {
      source.listen(events, (name, recordId, transaction) => this.mark({ source: name, recordId }, transaction));
    }
  }

  /** Registers the function that wakes the job. */
  onChanged(wake: () => void): void {
    this.wake = wake;
  }

  /** Indexes what waits until nothing does. @returns how many records */
  async run(stopping?: AbortSignal): Promise<number> {
    const failed = new Set<string>();
    let count = 0;
    for (;;) {
      const waiting = await findChanged(this.parts.database, BATCH + failed.size);
      const due = waiting.filter((place) => !failed.has(keyOf(place)));
      if (due.length === 0) return count;
      for (const place of due) {
        if (stopping?.aborted) return count;
        try {
          if (await this.update(place, false)) count += 1;
        } catch (error) {
          // It stays noted, and the others need not wait for it.
          failed.add(keyOf(place));
          this.parts.logger.warn({ err: error, ...place }, 'a record could not be indexed for the search');
        }
      }
    }
  }

  /** Notes every record that has changed unnoticed, is indexed in an older way or not at all, and what is indexed and gone. @returns how many */
  async sweep(): Promise<number> {
    const stale = await this.findStale();
    const { database, clock } = this.parts;
    for (let first = 0; first < stale.length; first += ROWS_PER_STATEMENT) {
      const rows = stale
        .slice(first, first + ROWS_PER_STATEMENT)
        .map((place) => ({ ...place, createdAt: clock.now() }));
      await searchChangeRecord.insertAll(database, rows);
    }
    return stale.length;
  }

  /** How many records nobody can find, or not by all their words, and that do not wait to be indexed. */
  async countMissing(): Promise<number> {
    const { database, sources } = this.parts;
    const indexed = await scopeRecord.findAll(database, { format: this.format() }, { only: ['source', 'recordId'] });
    const waiting = await findChanged(database, MOST_WAITING);
    const known = new Set([...indexed, ...waiting].map(keyOf));
    let missing = 0;
    for (const source of sources) {
      const records = await source.list();
      missing += records.filter(({ id }) => !known.has(keyOf({ source: source.name, recordId: id }))).length;
    }
    return missing;
  }

  /** Records that {@link sweep} would note. */
  async findStale(): Promise<Place[]> {
    const { database, sources } = this.parts;
    const known = new Map((await scopeRecord.findAll(database, {})).map((scope) => [keyOf(scope), scope]));
    const waiting = new Set((await findChanged(database, MOST_WAITING)).map(keyOf));
    const stale: Place[] = [];
    for (const source of sources) {
      for (const { id, updatedAt } of await source.list()) {
        const place = { source: source.name, recordId: id };
        const scope = known.get(keyOf(place));
        known.delete(keyOf(place));
        if (scope?.format !== this.format() || scope.changedAt.getTime() !== updatedAt.getTime()) stale.push(place);
      }
    }
    const gone = [...known.values()].map(({ source, recordId }) => ({ source, recordId }));
    return [...stale, ...gone].filter((place) => !waiting.has(keyOf(place)));
  }

  /** Writes every record anew. @returns how many */
  async rebuild(): Promise<number> {
    const { database, sources, fullText } = this.parts;
    const known = (await scopeRecord.findAll(database, {})).map(({ source, recordId }) => ({ source, recordId }));
    const places = new Map(known.map((place) => [keyOf(place), place]));
    for (const source of sources) {
      for (const { id } of await source.list()) {
        const place = { source: source.name, recordId: id };
        places.set(keyOf(place), place);
      }
    }
    for (const place of places.values()) {
      // Another replica may write the same record meanwhile.
      while (!(await this.update(place, true)));
    }
    await fullText.tidy();
    return places.size;
  }

  private async mark(place: Place, transaction: Transaction | undefined): Promise<void> {
    const { database, clock } = this.parts;
    await searchChangeRecord.insert(database, { ...place, createdAt: clock.now() }, transaction);
    transaction?.afterCommit(() => this.wake());
  }

  /** @param isForced writes what is unchanged, too. @returns false when another process was quicker */
  private async update(place: Place, isForced: boolean): Promise<boolean> {
    const { database, clock } = this.parts;
    const before = await scopeRecord.find(database, place);
    // Before the record is read: what changes later is noted later.
    const last = await findLastChange(database, place);
    const scope = (await this.sourceOf(place.source)?.read(place.recordId)) ?? { ...NOTHING, updatedAt: clock.now() };
    try {
      return await database.transaction(async (transaction) => {
        const present = await scopeRecord.find(database, place, { transaction, lock: true });
        if (present?.version !== before?.version) return false;
        await this.claim(place, present?.version, transaction);
        await this.writeEntries(place, scope, isForced, transaction);
        await this.writeWords(place, scope, transaction);
        if (scope.documents.length === 0) await scopeRecord.remove(database, place, transaction);
        else
          await scopeRecord.update(database, place, { format: this.format(), changedAt: scope.updatedAt }, transaction);
        const done = { ...place, id: { [Op.lte]: last ?? 0 } };
        await searchChangeRecord.remove(database, done, transaction);
        return true;
      });
    } catch (error) {
      if (error instanceof UniqueViolationError) return false;
      throw error;
    }
  }

  /** From here on others wait. @throws UniqueViolationError when another process has begun with a new record */
  private async claim(place: Place, version: number | undefined, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    if (version !== undefined) {
      await scopeRecord.update(database, place, { version: version + 1 }, transaction);
      return;
    }
    const row = { ...place, version: 1, format: '', changedAt: clock.now() };
    await scopeRecord.insertAll(database, [row], transaction);
  }

  private async writeEntries(
    place: Place,
    { productId, documents }: SearchScope,
    isForced: boolean,
    transaction: Transaction,
  ): Promise<void> {
    const { database, fullText } = this.parts;
    const wanted = new Map(documents.map((document) => [digestOf(document, productId), document]));
    const options = { only: ['id', 'digest'], transaction } as const;
    const present = await entryRecord.findAll(database, place, options);
    const kept = new Set(isForced ? [] : present.map(({ digest }) => digest).filter((digest) => wanted.has(digest)));
    const old = present.filter(({ digest }) => !kept.has(digest)).map(({ id }) => id);
    await fullText.remove(old, transaction);
    for (const ids of batchesOf(old)) await entryRecord.remove(database, { id: ids }, transaction);
    const added = [...wanted].filter(([digest]) => !kept.has(digest));
    for (const batch of batchesOf(added)) {
      const rows = batch.map(([digest, document]) => ({ ...place, productId, digest, ...shown(document) }));
      await entryRecord.insertAll(database, rows, transaction);
    }
    const written = await entryRecord.findAll(database, place, options);
    const texts = written.flatMap(({ id, digest }) => {
      const document = kept.has(digest) ? undefined : wanted.get(digest);
      return document ? [{ id, ...indexed(document) }] : [];
    });
    await fullText.insert(texts, transaction);
  }

  private async writeWords(
    place: Place,
    { productId, documents }: SearchScope,
    transaction: Transaction,
  ): Promise<void> {
    const { database } = this.parts;
    const texts = documents.map(({ name, summary, keywords = '' }) => `${name} ${summary} ${keywords}`);
    const words = new Set(texts.flatMap(tellingWordsOf).filter(isComparable));
    const wanted = new Set([...words].sort().slice(0, MOST_WORDS));
    const present = await wordRecord.findAll(database, place, { transaction });
    const isKept = (row: (typeof present)[number]) => wanted.has(row.word) && row.productId === productId;
    const kept = new Set(present.filter(isKept).map(({ word }) => word));
    const old = present.filter(({ word }) => !kept.has(word)).map(({ word }) => word);
    for (const batch of batchesOf(old)) await wordRecord.remove(database, { ...place, word: batch }, transaction);
    const added = [...wanted].filter((word) => !kept.has(word));
    for (const batch of batchesOf(added)) {
      await wordRecord.insertAll(
        database,
        batch.map((word) => ({ word, ...place, productId })),
        transaction,
      );
    }
    await this.writeGrams(added, transaction);
  }

  /** Of words that no record has had before. */
  private async writeGrams(words: readonly string[], transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const fresh: string[] = [];
    for (const batch of batchesOf(words)) {
      const beginnings = [...new Set(batch.map((word) => `^${word.slice(0, 2)}`))];
      const options = { only: ['word'], transaction } as const;
      const rows = await gramRecord.findAll(database, { gram: beginnings, word: batch }, options);
      const known = new Set(rows.map(({ word }) => word));
      fresh.push(...batch.filter((word) => !known.has(word)));
    }
    const grams = fresh.flatMap((word) => gramsOf(word).map((gram) => ({ gram, word, length: word.length })));
    grams.sort((a, b) => (a.gram < b.gram || (a.gram === b.gram && a.word < b.word) ? -1 : 1));
    await mergeRows(database, gramRecord, grams, { length: 'replace' }, transaction);
  }

  private sourceOf(name: string): SearchSource | undefined {
    return this.parts.sources.find((source) => source.name === name);
  }

  private format(): string {
    return `${FORMAT} ${this.parts.locales.join(',')}`.slice(0, 100);
  }
}

const NOTHING = { productId: null, documents: [] } as const;

const keyOf = ({ source, recordId }: Place) => `${source}:${recordId}`;

const isComparable = (word: string) => word.length >= SHORTEST_WORD && !/^\d+$/.test(word);

function shown({ type, place, locale, name, summary, body }: SearchDocument) {
  return {
    ...{ type, locale, place: place.slice(0, LONGEST.place), name: cut(name, LONGEST.name) },
    ...{ summary: cut(summary, LONGEST.summary), body: cut(body, LONGEST.body) },
  };
}

function indexed({ name, summary, body, keywords = '' }: SearchDocument) {
  return { name, summary: `${summary} ${keywords}`, body: cut(body, LONGEST.body) };
}

/** Never within a pair of surrogates, of which a database would refuse one half. */
function cut(text: string, most: number): string {
  return wellFormed(text.slice(0, most)).replace(/\ufffd$/, '');
}

function digestOf(document: SearchDocument, productId: number | null): string {
  const { type, place, locale, name, summary, body, keywords } = document;
  const facts = [FORMAT, productId, type, place, locale, name, summary, body, keywords];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function batchesOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_PER_STATEMENT, (at + 1) * ROWS_PER_STATEMENT));
}
