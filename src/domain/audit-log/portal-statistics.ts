import { Op, type Database } from '../../database/index.js';
import type { Gateway } from '../../gateway/index.js';
import { addSeconds, BoundedCache, type Clock, type Logger } from '../../core/index.js';
import { mailRecord } from '../../mail/index.js';
import { userRecord } from '../accounts/index.js';
import { appRecord, credentialRecord, grantRecord, type WaitingQueue } from '../apps/index.js';
import { productRecord } from '../catalog/index.js';

/** Parts of the statistics that not every admin may see. */
export interface StatisticsView {
  readonly users: boolean;
  readonly apps: boolean;
  readonly products: boolean;
  readonly mails: boolean;
}

/** A product with the number of keys on which it is approved. */
export interface CarriedProduct {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly keys: number;
}

type Counts = Readonly<Record<string, number>>;

export interface DailyCount {
  /** UTC, `2026-11-21`. */
  readonly date: string;
  readonly count: number;
}

export interface GatewayState {
  readonly driver: string;
  readonly isUp: boolean;
  readonly checkedAt: Date;
}

/** null where the viewer may not see a part. */
export interface Statistics {
  readonly developers: Counts | null;
  readonly apps: Counts | null;
  readonly credentials: Counts | null;
  readonly products: Counts | null;
  readonly waiting: Readonly<Record<'developers' | 'apps' | 'credentials' | 'products' | 'plans', number | null>>;
  readonly signUps: readonly DailyCount[] | null;
  readonly logins: readonly DailyCount[] | null;
  /** Keys that work and end within 14 days, without those replaced by rotation. */
  readonly keysEnding: number | null;
  /** Apps whose first call was in the last 30 days, today included. */
  readonly firstCalls: number | null;
  readonly mails: Counts | null;
  /** Those on most keys first. */
  readonly topProducts: readonly CarriedProduct[] | null;
  readonly gateway: GatewayState;
}

export interface StatisticsParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly waiting: Pick<WaitingQueue, 'count'>;
  readonly gateway: Gateway;
  /** Name of the gateway driver. */
  readonly driver: string;
}

const DAYS = 30;
const DAY_MS = 86_400_000;
const KEEP_MS = 5_000;
const MOST_KEPT = 20;
const ENDING_S = 14 * 86_400;
const MOST_PRODUCTS = 5;
/** Not those that are still being made. */
const MADE = { syncState: { [Op.ne]: 'creating' } } as const;
const GATEWAY_TIMEOUT_MS = 1_500;

const ZERO = {
  developers: { active: 0, inactive: 0, pending: 0 },
  apps: { pending: 0, approved: 0, revoked: 0 },
  credentials: { pending: 0, approved: 0, revoked: 0, expired: 0 },
  products: { public: 0, private: 0, draft: 0 },
  mails: { queued: 0, failed: 0 },
};

/** Figures for the start page of an admin console. Each is cached for a few seconds in this process. */
export class PortalStatistics {
  private readonly cache: BoundedCache<unknown>;

  constructor(private readonly parts: StatisticsParts) {
    this.cache = new BoundedCache({ entries: MOST_KEPT, age: { ms: KEEP_MS, clock: parts.clock } });
  }

  async read(view: StatisticsView): Promise<Statistics> {
    const askIf = <T>(isAllowed: boolean, ask: () => Promise<T>): Promise<T | null> =>
      isAllowed ? ask() : Promise.resolve(null);
    const [developers, apps, credentials, products, counted, signUps, logins, gateway, ...more] = await Promise.all([
      askIf(view.users, () => this.keep('developers', () => this.developers())),
      askIf(view.apps, () => this.keep('apps', () => this.apps())),
      askIf(view.apps, () => this.keep('credentials', () => this.credentials())),
      askIf(view.products, () => this.keep('products', () => this.products())),
      askIf(view.users || view.apps, () => this.keep('waiting', () => this.parts.waiting.count())),
      askIf(view.users, () => this.keep('signUps', () => this.daily('portal_users', "kind = 'person'"))),
      askIf(view.users, () => this.keep('logins', () => this.daily('portal_activities', "action = 'user.login'"))),
      this.keep('gateway', () => this.gateway()),
      askIf(view.apps, () => this.keep('keysEnding', () => this.keysEnding())),
      askIf(view.mails, () => this.keep('mails', () => this.mails())),
      askIf(view.apps && view.products, () => this.keep('topProducts', () => this.topProducts())),
      askIf(view.apps, () => this.keep('firstCalls', () => this.countFirstCalls())),
    ]);
    const waiting = {
      developers: view.users && counted ? counted.developer : null,
      apps: view.apps && counted ? counted.app : null,
      credentials: view.apps && counted ? counted.key : null,
      products: view.apps && counted ? counted.product : null,
      plans: view.apps && counted ? counted.plan : null,
    };
    const [keysEnding, mails, topProducts, firstCalls] = more;
    return {
      ...{ developers, apps, credentials, products, waiting, signUps, logins, gateway },
      ...{ keysEnding, mails, topProducts, firstCalls },
    };
  }

  private developers(): Promise<Counts> {
    return this.counts(ZERO.developers, userRecord.countBy(this.parts.database, 'status', { kind: 'person' }));
  }

  // Excludes rows still being created.
  private apps(): Promise<Counts> {
    return this.counts(ZERO.apps, appRecord.countBy(this.parts.database, 'status', MADE));
  }

  private async credentials(): Promise<Counts> {
    const { database, clock } = this.parts;
    const counts = await this.counts(ZERO.credentials, credentialRecord.countBy(database, 'status', MADE));
    const ended = { ...MADE, status: 'approved', expiresAt: { [Op.lte]: clock.now() } } as const;
    const expired = await credentialRecord.count(database, ended);
    // Between the two reads some may have been revoked.
    return { ...counts, approved: Math.max(0, Number(counts.approved) - expired), expired };
  }

  private products(): Promise<Counts> {
    return this.counts(ZERO.products, productRecord.countBy(this.parts.database, 'visibility', {}));
  }

  private keysEnding(): Promise<number> {
    const now = this.parts.clock.now();
    return credentialRecord.count(this.parts.database, {
      expiresAt: { [Op.gt]: now, [Op.lte]: addSeconds(now, ENDING_S) },
      status: 'approved',
      replacedBy: null,
      syncState: { [Op.ne]: 'creating' },
    });
  }

  private countFirstCalls(): Promise<number> {
    return appRecord.count(this.parts.database, { firstCalledAt: { [Op.gte]: this.findFirstDay() } });
  }

  // Sent ones are many, and nobody asks for them.
  private mails(): Promise<Counts> {
    return this.counts(ZERO.mails, mailRecord.countBy(this.parts.database, 'state', { state: ['queued', 'failed'] }));
  }

  // Counted in the index of products and states alone, before names are read.
  private async topProducts(): Promise<CarriedProduct[]> {
    const { database } = this.parts;
    const counts = [...(await grantRecord.countBy(database, 'productId', { status: 'approved' }))];
    const top = new Map(counts.sort(([a, more], [b, keys]) => keys - more || a - b).slice(0, MOST_PRODUCTS));
    const products = await productRecord.findAll(database, { id: [...top.keys()] }, { only: ['id', 'slug', 'name'] });
    const carried = products.map((product) => ({ ...product, keys: top.get(product.id) ?? 0 }));
    return carried.sort((a, b) => b.keys - a.keys || a.id - b.id);
  }

  private async counts(zero: Counts, found: Promise<ReadonlyMap<string, number>>): Promise<Counts> {
    return { ...zero, ...Object.fromEntries(await found) };
  }

  /** For the last 30 days in UTC, including today; a day without any counts as 0. */
  private async daily(table: string, condition: string): Promise<DailyCount[]> {
    const first = this.findFirstDay();
    const rows = await this.parts.database.select<{ date: string; count: number }>(
      `SELECT SUBSTR(created_at, 1, 10) AS date, COUNT(*) AS count FROM ${table}
       WHERE ${condition} AND created_at >= ? AND created_at < ? GROUP BY 1`,
      [first, new Date(first.getTime() + DAYS * DAY_MS)],
    );
    const found = new Map(rows.map(({ date, count }) => [date, count]));
    return Array.from({ length: DAYS }, (_, index) => {
      const date = new Date(first.getTime() + index * DAY_MS).toISOString().slice(0, 10);
      return { date, count: found.get(date) ?? 0 };
    });
  }

  /** The begin of the last 30 days in UTC, today included. */
  private findFirstDay(): Date {
    const today = Math.floor(this.parts.clock.now().getTime() / DAY_MS);
    return new Date((today - DAYS + 1) * DAY_MS);
  }

  /** Never throws, and never delays the response: a slow gateway counts as down. */
  private async gateway(): Promise<GatewayState> {
    const { gateway, driver, clock, logger } = this.parts;
    const late = new AbortController();
    try {
      const timeout = new Promise<never>((_resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('the gateway did not answer in time')), GATEWAY_TIMEOUT_MS);
        late.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      await Promise.race([gateway().then((opened) => opened.check()), timeout]);
      return { driver, isUp: true, checkedAt: clock.now() };
    } catch (error) {
      logger.warn({ err: error, driver }, 'the gateway does not answer');
      return { driver, isUp: false, checkedAt: clock.now() };
    } finally {
      late.abort();
    }
  }

  private keep<T>(name: string, ask: () => Promise<T>): Promise<T> {
    return this.cache.read(name, ask) as Promise<T>;
  }
}
