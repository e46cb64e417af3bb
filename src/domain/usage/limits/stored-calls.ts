import type { Clock } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import type { CallsByDay } from '../../catalog/index.js';
import { UsageSums } from '../usage-sums.js';
import { dayOf, HOURS_OF_DAY, oldestOpenHour } from '../usage.js';

/** Whose calls are held against a plan: all keys of an app share what it has of a product. */
export interface CallOwner {
  readonly appId: number;
  readonly productId: number;
}

export function ownerKey({ appId, productId }: CallOwner): string {
  return `${appId} ${productId}`;
}

/** Longer than any period. */
const DAYS_OF_PERIOD = 31;
/** Calls without a plan are not held against the one that comes later. */
const ANY_PLAN = 1;

/** Reads from the usage tables which calls of an app passed with a plan. */
export class StoredCalls {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /**
   * @param reach `period`: all that any quota may ask for; `open`: the days that calls are still added to
   * @throws DatabaseUnavailableError
   */
  async read({ appId, productId }: CallOwner, reach: 'period' | 'open'): Promise<CallsByDay> {
    return (await this.readEach(appId, [productId], reach)).get(productId) ?? new Map();
  }

  /** The same of several products, by their ids; those without calls are left out. */
  async readEach(
    appId: number,
    productIds: readonly number[],
    reach: 'period' | 'open' = 'period',
  ): Promise<ReadonlyMap<number, CallsByDay>> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const open = oldestOpenHour(now) / HOURS_OF_DAY;
    const first = reach === 'open' ? open : dayOf(now) - DAYS_OF_PERIOD;
    // Tomorrow is included: the clock of a replica may be a little ahead.
    const range = { interval: 'day', first, end: dayOf(now) + 2 } as const;
    const filter = { appId, planFrom: ANY_PLAN };
    const sums = await new UsageSums(database, open).ofGroups(filter, range, 'product', productIds);
    const found = new Map<number, Map<number, number>>();
    for (const { group, bucket, allowed } of sums) {
      const days = found.get(Number(group)) ?? new Map<number, number>();
      found.set(Number(group), days.set(Number(bucket), allowed));
    }
    return found;
  }
}
