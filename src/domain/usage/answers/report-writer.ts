import { mergeRows, type Database, type Transaction } from '../../../database/index.js';
import { addSeconds, type Clock } from '../../../core/index.js';
import { credentialRecord } from '../../apps/index.js';
import type { UsageConfig } from '../config.js';
import { noteFirstCalls } from '../first-calls.js';
import { slices } from '../slices.js';
import { findProductsOnKeys, type ProductOnKey } from '../usage-queries.js';
import { dayOf, HOURS_OF_DAY, NONE, usageDayRecord, usageHourRecord } from '../usage.js';
import { ADDED_ANSWERS, answerDayRecord, answerHourRecord, type AnswerCounts, type AnswerHour } from './answer.js';
import type { ReportBatch, ReportedCalls } from './report-batch.js';

interface WriterParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: UsageConfig;
}

/** Calls of a batch whose key and product are known. */
interface PlacedCalls {
  readonly appId: number;
  readonly hour: number;
  readonly credentialId: number;
  readonly productId: number;
  readonly planVersionId: number;
  readonly counts: AnswerCounts;
  readonly calls: number;
  readonly lastAt: number;
}

/**
 * Adds what proxies report to the tables of answers and, where reports are what is counted, to those of calls. Hours and days
 * are written together, because a report may come long after its day was summed up.
 */
export class ReportWriter {
  constructor(private readonly parts: WriterParts) {}

  /**
   * Takes calls of keys and products that are unknown out of the batch, and writes the rest.
   * @param note part of the same transaction, before anything else of it: holds what tells that this batch was written, and throws
   *   if it was
   * @throws DatabaseUnavailableError; whether it was written is not known then
   */
  async write(batch: ReportBatch, note: (transaction: Transaction) => Promise<void>): Promise<void> {
    const { database, settings } = this.parts;
    // Read outside of the transaction, as by the counter of calls.
    const placed = await this.place(batch);
    const hours = this.selectHours(placed);
    await database.transaction(async (transaction) => {
      await note(transaction);
      await mergeRows(database, answerHourRecord, hours.map(answersOf), ADDED_ANSWERS, transaction);
      const days = placed.map((calls) => toDay(answersOf(calls)));
      await mergeRows(database, answerDayRecord, days, ADDED_ANSWERS, transaction);
      if (settings.source === 'reports') await this.count(placed, hours, transaction);
    });
    if (settings.source === 'reports') await noteFirstCalls(this.parts.database, placed);
  }

  /** Only takes out calls of keys and products that are unknown. */
  async check(batch: ReportBatch): Promise<void> {
    await this.place(batch);
  }

  private async count(placed: PlacedCalls[], hours: PlacedCalls[], transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const merge = { calls: 'add' } as const;
    const inHours = hours.map((calls) => ({ ...callsOf(calls), lastAt: calls.lastAt }));
    await mergeRows(database, usageHourRecord, inHours, { ...merge, lastAt: 'larger' }, transaction);
    const days = placed.map((calls) => toDay(callsOf(calls)));
    await mergeRows(database, usageDayRecord, days, merge, transaction);
  }

  /** Those that are not yet too old to be kept by the hour. */
  private selectHours(placed: readonly PlacedCalls[]): PlacedCalls[] {
    const { clock, settings } = this.parts;
    const oldest = dayOf(addSeconds(clock.now(), -settings.hours)) * HOURS_OF_DAY;
    return placed.filter(({ hour }) => hour >= oldest);
  }

  /** In the order of the keys, so that concurrent writers wait for each other instead of deadlocking. */
  private async place(batch: ReportBatch): Promise<PlacedCalls[]> {
    const [apps, products] = [new Map<number, number>(), new Map<number, ProductOnKey[]>()];
    for (const part of slices(batch.rows().map(({ credentialId }) => credentialId))) {
      for (const { id, appId } of await this.keys(part)) apps.set(id, appId);
      for (const one of await findProductsOnKeys(this.parts.database, part)) {
        products.set(one.credentialId, [...(products.get(one.credentialId) ?? []), one]);
      }
    }
    const placed = batch.rows().flatMap((calls) => {
      const appId = apps.get(calls.credentialId);
      const product = productOf(calls, products.get(calls.credentialId) ?? []);
      if (appId !== undefined && product !== null) {
        const { hour, credentialId, counts, calls: number, lastAt } = calls;
        return { appId, hour, credentialId, ...product, counts, calls: number, lastAt };
      }
      batch.drop(calls, appId === undefined ? 'unknown_key' : 'unknown_product');
      return [];
    });
    return placed.sort(byKey);
  }

  private keys(ids: readonly number[]) {
    return credentialRecord.findAll(this.parts.database, { id: ids }, { only: ['id', 'appId'] });
  }
}

/** The product of the line, or the only one of the key. null: the key does not carry it. */
function productOf({ product }: ReportedCalls, carried: readonly ProductOnKey[]) {
  const none = { productId: NONE, planVersionId: NONE };
  const found =
    product === null ? (carried.length === 1 ? carried[0] : none) : carried.find(({ slug }) => slug === product);
  return found ? { productId: found.productId, planVersionId: found.planVersionId ?? NONE } : null;
}

function answersOf({ appId, hour, credentialId, productId, counts }: PlacedCalls): AnswerHour {
  return { appId, hour, credentialId, productId, ...counts };
}

function callsOf({ appId, hour, credentialId, productId, planVersionId, calls }: PlacedCalls) {
  return { appId, hour, credentialId, productId, planVersionId, outcome: 'allowed' as const, calls };
}

function toDay<T extends { readonly hour: number }>({ hour, ...row }: T) {
  return { ...row, day: Math.floor(hour / HOURS_OF_DAY) };
}

function byKey(a: PlacedCalls, b: PlacedCalls): number {
  return a.appId - b.appId || a.hour - b.hour || a.credentialId - b.credentialId || a.productId - b.productId;
}
