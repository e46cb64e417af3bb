import { mergeRows, placeholders, type Database, type NewRowOf, type Transaction } from '../../database/index.js';
import { addSeconds, type Clock } from '../../core/index.js';
import type { CountedTraffic, GatewayDriver, GatewayStatistics } from '../../gateway/index.js';
import { productRecord } from '../catalog/index.js';
import {
  ADDED_ANSWERS,
  ANSWER_COUNTS,
  answerDayRecord,
  answerHourRecord,
  noAnswers,
  statusClassOf,
  usageReadingRecord,
  type AnswerCounts,
  type AnswerHour,
} from './answers/answer.js';
import { noteFirstCalls } from './first-calls.js';
import { slices } from './slices.js';
import { HOUR_MS, hourOf, HOURS_OF_DAY, NONE, oldestOpenHour, usageHourRecord } from './usage.js';

interface TrafficParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly gateway: () => Promise<GatewayDriver>;
  /** `gateway.driver` */
  readonly driver: string;
}

type CallHour = NewRowOf<typeof usageHourRecord>;

/** So long after its end an hour is read again: gateways count late. */
const OPEN_S = 3_600;
/** Of one run; some gateways allow 12 in a minute. */
const MOST_PAGES = 10;

/**
 * Reads what a gateway that checks keys itself has counted, hour by hour. An hour is replaced and never added to, so reading it
 * again does no harm; its rows carry no key, which tells them from what the portal counts.
 */
export class GatewayTraffic {
  constructor(private readonly parts: TrafficParts) {}

  /** Until when calls are known that the gateway has counted; null: none are read. */
  async asOf(): Promise<Date | null> {
    const { database, driver } = this.parts;
    return (await usageReadingRecord.find(database, { driver }, { only: ['asOf'] }))?.asOf ?? null;
  }

  /** Reads from where the last run ended up to now, or as far as its pages go. @throws the errors of the gateway */
  async run(stopping: AbortSignal): Promise<void> {
    const { database, clock, driver } = this.parts;
    const { statistics } = await this.parts.gateway();
    // A gateway may have told them until its settings were changed.
    if (!statistics) return void (await usageReadingRecord.remove(database, { driver }));
    const now = clock.now();
    const known = await usageReadingRecord.find(database, { driver });
    // What is still open is read again from here on.
    let open = known?.hour ?? oldestOpenHour(now);
    let pages = 0;
    for (let hour = open; hour <= hourOf(now) && pages < MOST_PAGES && !stopping.aborted; hour += 1) {
      const read = await readHour(statistics, hour);
      pages += read.pages;
      const end = startOf(hour + 1);
      if (addSeconds(end, OPEN_S) <= now) open = hour + 1;
      const asOf = earlier(end, addSeconds(now, -statistics.delay));
      await this.replace(hour, read.traffic, { hour: open, asOf });
    }
  }

  private async replace(
    hour: number,
    traffic: readonly CountedTraffic[],
    reading: { readonly hour: number; readonly asOf: Date },
  ): Promise<void> {
    const { database, driver } = this.parts;
    const { calls, answers } = await this.rowsOf(hour, traffic);
    await database.transaction(async (transaction) => {
      await usageHourRecord.remove(database, { hour, credentialId: NONE }, transaction);
      await answerHourRecord.remove(database, { hour, credentialId: NONE }, transaction);
      await mergeRows(database, usageHourRecord, calls, { calls: 'add', lastAt: 'larger' }, transaction);
      await mergeRows(database, answerHourRecord, answers, ADDED_ANSWERS, transaction);
      await this.sumUpDay(Math.floor(hour / HOURS_OF_DAY), transaction);
      const merge = { hour: 'replace', asOf: 'replace' } as const;
      await mergeRows(database, usageReadingRecord, [{ driver, ...reading }], merge, transaction);
    });
    await noteFirstCalls(this.parts.database, calls);
  }

  /** Days of calls are summed up by the job that does so for all of them. */
  private async sumUpDay(day: number, transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const names = ANSWER_COUNTS.map((name) => answerHourRecord.nameOf(name));
    await answerDayRecord.remove(database, { day, credentialId: NONE }, transaction);
    await database.execute(
      `INSERT INTO portal_answer_days (app_id, day, credential_id, product_id, ${names.join(', ')})
       SELECT app_id, ?, ?, product_id, ${names.map((name) => `SUM(${name})`).join(', ')} FROM portal_answer_hours
       WHERE hour >= ? AND hour < ? AND credential_id = ? GROUP BY app_id, product_id`,
      [day, NONE, day * HOURS_OF_DAY, (day + 1) * HOURS_OF_DAY, NONE],
      { transaction },
    );
  }

  /** Apps and products that the portal does not have are left out. */
  private async rowsOf(hour: number, traffic: readonly CountedTraffic[]) {
    const apps = await this.findApps(traffic);
    const products = await this.findProducts(traffic);
    const found = new Map<string, { readonly call: CallHour; readonly counts: AnswerCounts }>();
    for (const { developerId, app, product, status, calls } of traffic) {
      const appId = apps.get(`${developerId} ${app}`);
      if (appId === undefined) continue;
      const productId = (product !== null && products.get(product)) || NONE;
      const key = `${appId} ${productId}`;
      const place = { appId, hour, credentialId: NONE, productId };
      const lastAt = startOf(hour).getTime();
      const row = found.get(key) ?? {
        call: { ...place, planVersionId: NONE, outcome: 'allowed' as const, calls: 0, lastAt },
        counts: noAnswers(),
      };
      row.counts[statusClassOf(status)] += calls;
      found.set(key, { ...row, call: { ...row.call, calls: row.call.calls + calls } });
    }
    const rows = [...found.values()].sort(({ call: a }, { call: b }) => a.appId - b.appId || a.productId - b.productId);
    const answers = rows.map(({ call, counts }): AnswerHour => {
      const { appId, credentialId, productId } = call;
      return { appId, hour, credentialId, productId, ...counts };
    });
    return { calls: rows.map(({ call }) => call), answers };
  }

  /** Id at the gateway and name there → id. */
  private async findApps(traffic: readonly CountedTraffic[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const part of slices(traffic.map(({ developerId }) => developerId))) {
      const rows = await this.parts.database.select<{ gatewayId: string; name: string; id: number }>(
        `SELECT l.gateway_id AS gatewayId, COALESCE(a.gateway_name, a.name) AS name, a.id AS id
         FROM portal_gateway_links l JOIN portal_apps a ON a.user_id = l.user_id WHERE l.gateway_id IN (${placeholders(part)})`,
        part,
      );
      for (const { gatewayId, name, id } of rows) found.set(`${gatewayId} ${name}`, id);
    }
    return found;
  }

  private async findProducts(traffic: readonly CountedTraffic[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const part of slices(traffic.flatMap(({ product }) => product ?? []))) {
      const only = ['id', 'gatewayProductId'] as const;
      const rows = await productRecord.findAll(this.parts.database, { gatewayProductId: part }, { only });
      for (const { id, gatewayProductId } of rows) found.set(gatewayProductId, id);
    }
    return found;
  }
}

async function readHour(statistics: GatewayStatistics, hour: number) {
  const traffic: CountedTraffic[] = [];
  let pages = 0;
  for (let after: string | null = null; pages === 0 || after !== null;) {
    const page = await statistics.read(startOf(hour), after);
    traffic.push(...page.items);
    after = page.next;
    pages += 1;
  }
  return { traffic, pages };
}

function startOf(hour: number): Date {
  return new Date(hour * HOUR_MS);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}
