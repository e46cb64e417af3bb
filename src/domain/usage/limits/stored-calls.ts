import type { Clock } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import type { CallsByDay } from '../../catalog/index.js';
import { UsageSums } from '../usage-sums.js';
import { dayOf, HOURS_OF_DAY, oldestOpenHour } from '../usage.js';

/** An app, or all apps of an account. */
type Caller = { readonly appId: number } | { readonly userId: number };

/** Whose calls a plan limits together: those of all keys of an app, or of all apps of an owner. */
export type CallOwner = Caller & { readonly productId: number };

/** Tells callers apart. */
export function callerName(caller: Caller): string {
  return 'appId' in caller ? `${caller.appId}` : `u${caller.userId}`;
}

export function ownerKey({ productId, ...caller }: CallOwner): string {
  return `${callerName(caller)} ${productId}`;
}

/** Longer than any period. */
const DAYS_OF_PERIOD = 31;
/** Calls made without a plan do not count towards one that is chosen later. */
const ANY_PLAN = 1;

/** Reads from the usage tables which calls passed with a plan: of an app, or with those that all apps of an account share. */
export class StoredCalls {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /**
   * @param reach `period`: all that any quota may ask for; `open`: the days that calls are still added to
   * @throws DatabaseUnavailableError
   */
  async read({ productId, ...caller }: CallOwner, reach: 'period' | 'open'): Promise<CallsByDay> {
    return (await this.readEach(caller, [productId], reach)).get(productId) ?? new Map();
  }

  /** The same of several products, by their ids; those without calls are left out. */
  async readEach(
    caller: Caller,
    productIds: readonly number[],
    reach: 'period' | 'open' = 'period',
  ): Promise<ReadonlyMap<number, CallsByDay>> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const open = oldestOpenHour(now) / HOURS_OF_DAY;
    const first = reach === 'open' ? open : dayOf(now) - DAYS_OF_PERIOD;
    // Tomorrow is included: the clock of a replica may be a little ahead.
    const range = { interval: 'day', first, end: dayOf(now) + 2 } as const;
    const filter = { ...caller, planFrom: ANY_PLAN, shared: 'appId' in caller ? 0 : 1 };
    const sums = await new UsageSums(database, open).ofGroups(filter, range, 'product', productIds);
    const found = new Map<number, Map<number, number>>();
    for (const { group, bucket, allowed } of sums) {
      const days = found.get(Number(group)) ?? new Map<number, number>();
      found.set(Number(group), days.set(Number(bucket), allowed));
    }
    return found;
  }
}
