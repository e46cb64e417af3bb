import { mergeRows, type Database, type NewRowOf } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import { appRecord } from '../apps/index.js';
import { productRecord } from '../catalog/index.js';
import type { CallBatch, RefusedCalls, UsageBatch } from './usage-batch.js';
import { noteFirstCalls } from './first-calls.js';
import { slices } from './slices.js';
import { NONE, oldestOpenHour, usageFlushRecord, usageHourRecord, usageRefusalRecord } from './usage.js';

interface WriterParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Random, of this process. */
  readonly replica: string;
}

type HourRow = NewRowOf<typeof usageHourRecord>;
/** Apps that are there, by id, with the time of their first call. */
type CallingApps = ReadonlyMap<number, Date | null>;
type RefusalRow = NewRowOf<typeof usageRefusalRecord>;

/** Networks and products of one hour; calls of further ones are counted together. */
const MOST_PLACES = 500;
/** Rows that one of them may have: missing, malformed and unknown keys. */
const REASONS = 3;
const ADDED = { calls: 'add', lastAt: 'larger' } as const;

/**
 * Adds what a process has counted to the tables. A flush whose commit may have happened, although its answer was lost, is
 * written again: the number of the last one is part of the same transaction, and is read under a lock that waits for the end
 * of an earlier attempt.
 */
export class UsageWriter {
  constructor(private readonly parts: WriterParts) {}

  /**
   * @param sequence one more than that of the batch before; the same for the same batch
   * @throws DatabaseUnavailableError; whether it was written is not known then
   */
  async write(sequence: number, batch: UsageBatch): Promise<void> {
    const { database, clock, replica } = this.parts;
    // Read outside of the transaction: under snapshot isolation a read would make it conflict with flushes of others.
    const products = await this.findProducts(batch);
    const apps = await this.findApps(batch.rows());
    const calls = this.callRows(batch.rows(), products, apps);
    const refusals = await this.refusalRows(batch.refusals(), products);
    await database.transaction(async (transaction) => {
      const last = await usageFlushRecord.find(database, { replica }, { lock: true, transaction });
      if (last && last.sequence >= sequence) return;
      const flush = { sequence, flushedAt: clock.now() };
      if (last) await usageFlushRecord.update(database, { replica }, flush, transaction);
      else await usageFlushRecord.insert(database, { replica, ...flush }, transaction);
      await mergeRows(database, usageHourRecord, calls, ADDED, transaction);
      await mergeRows(database, usageRefusalRecord, refusals, ADDED, transaction);
    });
    const first = batch.rows().filter(({ appId, outcome }) => outcome === 'allowed' && apps.get(appId) === null);
    await noteFirstCalls(this.parts.database, first);
  }

  /** Slug → id. */
  private async findProducts(batch: UsageBatch): Promise<ReadonlyMap<string, number>> {
    const slugs = new Set([...batch.rows(), ...batch.refusals()].flatMap(({ product }) => product ?? []));
    const found = new Map<string, number>();
    for (const part of slices([...slugs])) {
      const rows = await productRecord.findAll(this.parts.database, { slug: part }, { only: ['id', 'slug'] });
      for (const { id, slug } of rows) found.set(slug, id);
    }
    return found;
  }

  private callRows(calls: readonly CallBatch[], products: ReadonlyMap<string, number>, apps: CallingApps): HourRow[] {
    const oldest = oldestOpenHour(this.parts.clock.now());
    const rows = calls.map(({ product, hour, ...call }): HourRow => {
      return { ...call, hour: Math.max(hour, oldest), productId: idOf(products, product) };
    });
    return rows.filter(({ appId }) => appId === NONE || apps.has(appId)).sort(byKey);
  }

  /** Those that are still there: the calls of an app that is gone are not kept. */
  private async findApps(calls: readonly CallBatch[]): Promise<CallingApps> {
    const found = new Map<number, Date | null>();
    for (const part of slices(calls.map(({ appId }) => appId))) {
      const rows = await appRecord.findAll(this.parts.database, { id: part }, { only: ['id', 'firstCalledAt'] });
      for (const { id, firstCalledAt } of rows) found.set(id, firstCalledAt);
    }
    return found;
  }

  private async refusalRows(
    calls: readonly RefusedCalls[],
    products: ReadonlyMap<string, number>,
  ): Promise<RefusalRow[]> {
    const places = new Map<number, Set<string>>();
    for (const hour of new Set(calls.map((call) => call.hour))) places.set(hour, await this.placesOf(hour));
    const rows = calls.map(({ product, ...call }): RefusalRow => {
      const row = { ...call, productId: idOf(products, product) };
      const known = places.get(row.hour) ?? new Set();
      const place = `${row.productId} ${row.network}`;
      if (!known.has(place) && known.size >= MOST_PLACES) return { ...row, productId: NONE, network: '' };
      known.add(place);
      return row;
    });
    return rows.sort((a, b) => a.hour - b.hour || a.productId - b.productId || compare(a.network, b.network));
  }

  private async placesOf(hour: number): Promise<Set<string>> {
    const limit = MOST_PLACES * REASONS;
    const rows = await usageRefusalRecord.findAll(
      this.parts.database,
      { hour },
      { only: ['productId', 'network'], limit },
    );
    return new Set(rows.map(({ productId, network }) => `${productId} ${network}`));
  }
}

function idOf(products: ReadonlyMap<string, number>, slug: string | null): number {
  return slug === null ? NONE : (products.get(slug) ?? NONE);
}

function byKey(a: HourRow, b: HourRow): number {
  const ids = a.appId - b.appId || a.hour - b.hour || a.credentialId - b.credentialId || a.productId - b.productId;
  return ids || a.planVersionId - b.planVersionId || compare(a.outcome, b.outcome);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
