import { Op, UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger } from '../../core/index.js';
import type { FullText } from './full-text.js';
import { scopeRecord, searchChangeRecord, type SearchScope } from './search-entry.js';
import { findChanged } from './search-queries.js';
import { FORMAT, ROWS_PER_STATEMENT, SearchWriter, type Place } from './search-writer.js';
import type { SearchSource } from './source.js';

const BATCH = 50;
const MOST_WAITING = 1_000_000;
/** Records that are read while one is written: documents are taken apart in threads. */
const READ_AHEAD = 2;

/** A record as it was read, to be written. */
interface ReadPlace {
  readonly place: Place;
  /** Of its row in the index when it was read. */
  readonly version: number | undefined;
  /** Its last note then. */
  readonly last: number | null;
  readonly scope: SearchScope;
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
  private readonly writer: SearchWriter;

  constructor(private readonly parts: SearchIndexParts) {
    this.writer = new SearchWriter(parts.database, parts.fullText);
  }

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
      for (const [place, reading] of this.readAll(due)) {
        if (stopping?.aborted) return count;
        try {
          if (await this.write(await reading, false)) count += 1;
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
    for (const [place, reading] of this.readAll([...places.values()])) {
      let isWritten = await this.write(await reading, true);
      // Another replica may write the same record meanwhile.
      while (!isWritten) isWritten = await this.write(await this.read(place), true);
    }
    await fullText.tidy();
    return places.size;
  }

  private async mark(place: Place, transaction: Transaction | undefined): Promise<void> {
    const { database, clock } = this.parts;
    await searchChangeRecord.insert(database, { ...place, createdAt: clock.now() }, transaction);
    transaction?.afterCommit(() => this.wake());
  }

  /** The records as they are read, some ahead of the one that is handed out. */
  private *readAll(places: readonly Place[]): Generator<readonly [Place, Promise<ReadPlace>]> {
    const begun: (readonly [Place, Promise<ReadPlace>])[] = [];
    for (const place of places) {
      const reading = this.read(place);
      // Whoever awaits it is told; nobody does when the portal stops.
      reading.catch(() => undefined);
      begun.push([place, reading]);
      const first = begun.length > READ_AHEAD ? begun.shift() : undefined;
      if (first) yield first;
    }
    yield* begun;
  }

  private async read(place: Place): Promise<ReadPlace> {
    const { database, clock } = this.parts;
    const before = await scopeRecord.find(database, place);
    // Before the record is read: what changes later is noted later.
    const note = await searchChangeRecord.find(database, place, { only: ['id'], order: 'c.id DESC', limit: 1 });
    const scope = (await this.sourceOf(place.source)?.read(place.recordId)) ?? { ...NOTHING, updatedAt: clock.now() };
    return { place, version: before?.version, last: note?.id ?? null, scope };
  }

  /** @param isForced writes what is unchanged, too. @returns false when another process was quicker */
  private async write({ place, version, last, scope }: ReadPlace, isForced: boolean): Promise<boolean> {
    const { database } = this.parts;
    try {
      return await database.transaction(async (transaction) => {
        const present = await scopeRecord.find(database, place, { transaction, lock: true });
        if (present?.version !== version) return false;
        await this.claim(place, version, transaction);
        await this.writer.writeEntries(place, scope, isForced, transaction);
        await this.writer.writeWords(place, scope, transaction);
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

  private sourceOf(name: string): SearchSource | undefined {
    return this.parts.sources.find((source) => source.name === name);
  }

  private format(): string {
    return `${FORMAT} ${this.parts.locales.join(',')}`.slice(0, 100);
  }
}

const NOTHING = { productId: null, documents: [] } as const;

const keyOf = ({ source, recordId }: Place) => `${source}:${recordId}`;
