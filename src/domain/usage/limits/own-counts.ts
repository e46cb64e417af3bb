import { BoundedCache, within, type Clock } from '../../../core/index.js';
import { callsBetween, type CallsByDay } from '../../catalog/index.js';
import { dayOf } from '../usage.js';
import type { PlanAllowance } from './call-limits.js';
import type { CallOwner } from './stored-calls.js';
import {
  judge,
  NO_CALLS,
  Periods,
  windowAt,
  type DayRange,
  type LimitDecision,
  type WindowCount,
} from './limit-decision.js';

/** Reads what the database has of an owner. */
interface StoredCallsOf<Owner> {
  read(owner: Owner, reach: 'period' | 'open'): Promise<CallsByDay>;
}

/** Which calls of this process may be in the database. */
export interface FlushProgress {
  /** Number of the last flush that was begun; calls counted now belong to a later one. */
  readonly begun: number;
  readonly isFlushing: boolean;
}

export interface OwnCountsParts<Owner = CallOwner> {
  /** null: calls are not written to the database. */
  readonly stored: StoredCallsOf<Owner> | null;
  readonly progress: FlushProgress;
  readonly clock: Clock;
  /** Seconds between two flushes. */
  readonly flush: number;
  readonly onUnread: (error: unknown) => void;
  /** How many owners are told apart. */
  readonly entries?: number;
}

/** What is counted of an app and a product. */
interface Account {
  /** As the database had it. */
  stored: CallsByDay;
  /** Flush → day → calls of this process that were not in the database then. */
  readonly own: Map<number, Map<number, number>>;
  /** Length of the window → calls of this process. */
  readonly windows: Map<number, WindowCount>;
  /** Milliseconds; when the last attempt to read began. */
  askedAt: number;
  /** Of the last that succeeded. */
  readAt: number;
  /** The day on which all days were read. */
  readOn: number;
  /** Calls that the last read found on top of those before. */
  pace: number;
  /** A quota is about to be used up. */
  isClose: boolean;
  /** It was read in the middle of a flush, whose calls may be missing. */
  isRough: boolean;
  reading: Promise<void> | null;
  /** The latest reset that is known; 0 for none. */
  resetId: number;
}

const MOST_ACCOUNTS = 50_000;
/** Longest wait for the counts in the database; after it a call is judged by the counts at hand. */
const PATIENCE_MS = 250;
/** How soon an account is read again then. */
const CLOSE_MS = 1_000;

/**
 * Counts in this process what its own calls use, and reads now and then what the others have written. So a quota holds but
 * for what other processes let through since their last flush, and nobody is refused for calls that were not made.
 */
export class OwnCounts<Owner = CallOwner> {
  private readonly accounts: BoundedCache<Account>;

  private readonly periods = new Periods();

  /** @param keyOf what tells owners apart */
  constructor(
    private readonly parts: OwnCountsParts<Owner>,
    private readonly keyOf: (owner: Owner) => string,
  ) {
    this.accounts = new BoundedCache({ entries: parts.entries ?? MOST_ACCOUNTS });
  }

  /** Never throws, and waits a quarter of a second at most. */
  async decide(owner: Owner, limits: PlanAllowance): Promise<LimitDecision> {
    const account = this.accountOf(owner);
    this.noteReset(account, limits);
    const reading = limits.quotas.length > 0 ? this.refresh(account, owner) : null;
    if (reading) await reading;
    const now = this.parts.clock.now();
    const periods = this.periods.rangesAt(limits, now);
    const used = periods.map((period) => this.countUsed(account, period, limits));
    const windows = limits.rates.map(({ windowMs }) => windowOf(account, windowMs, now));
    const decision = judge(limits, { windows, periods, used }, now);
    if (decision.passes) this.count(account, limits, windows, now);
    account.isClose = limits.quotas.some(({ max, passing }, index) => {
      const calls = used[index] ?? 0;
      return calls < passing && calls + 2 * account.pace >= max;
    });
    return decision;
  }

  private accountOf(owner: Owner): Account {
    const key = this.keyOf(owner);
    const known = this.accounts.get(key);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const account: Account = {
      ...{ stored: new Map(), own: new Map(), windows: new Map(), pace: 0, reading: null, resetId: 0 },
      ...{ isClose: false, isRough: false, askedAt: never, readAt: never, readOn: never },
    };
    this.accounts.set(key, account);
    return account;
  }

  /** What was counted before a reset is read again; where nothing can be read, this process begins anew. */
  private noteReset(account: Account, { countStart }: PlanAllowance): void {
    // Keys are told one after another: those that were not yet bring an earlier one.
    if (!countStart || countStart.id <= account.resetId) return;
    account.resetId = countStart.id;
    account.askedAt = account.readAt = Number.NEGATIVE_INFINITY;
    if (!this.parts.stored) account.own.clear();
  }

  private countUsed({ stored, own }: Account, { first, end }: DayRange, { countStart }: PlanAllowance): number {
    let calls = 0;
    for (const days of [stored, ...own.values()]) calls += callsBetween(days, first, end);
    if (countStart && this.parts.stored) calls -= callsBetween(countStart.calls, first, end);
    return Math.max(0, calls);
  }

  private count(account: Account, { rates }: PlanAllowance, windows: readonly WindowCount[], now: Date): void {
    rates.forEach(({ windowMs }, at) => {
      const { index, current, previous } = windows[at] ?? NO_CALLS;
      account.windows.set(windowMs, { index, current: current + 1, previous });
    });
    const flush = this.parts.progress.begun + 1;
    const day = dayOf(now);
    const days = account.own.get(flush);
    if (days) days.set(day, (days.get(day) ?? 0) + 1);
    else account.own.set(flush, new Map([[day, 1]]));
  }

  /** Reads again what is older than a flush. @returns what is to be waited for: only what nothing recent is known of */
  private refresh(account: Account, owner: Owner): Promise<void> | null {
    const { stored, clock, flush, onUnread } = this.parts;
    if (!stored) return null;
    const now = clock.now().getTime();
    // By absolute difference: a clock that was set back must not keep old counts (R29).
    const isOlder = (time: number, ms: number) => Math.abs(now - time) >= ms;
    if (!account.reading && isOlder(account.askedAt, account.isClose || account.isRough ? CLOSE_MS : flush * 1_000)) {
      account.askedAt = now;
      account.reading = within(PATIENCE_MS, this.read(account, owner, stored))
        .catch(onUnread)
        .finally(() => (account.reading = null));
    }
    return isOlder(account.readAt, 2 * flush * 1_000) ? account.reading : null;
  }

  private async read(account: Account, owner: Owner, stored: StoredCallsOf<Owner>): Promise<void> {
    const { clock, progress } = this.parts;
    const today = dayOf(clock.now());
    const isWhole = account.readOn !== today;
    const wasFlushing = progress.isFlushing;
    const { begun } = progress;
    const found = await stored.read(owner, isWhole ? 'period' : 'open');
    const before = sum(account.stored);
    account.stored = isWhole ? found : new Map([...account.stored, ...found]);
    account.pace = account.readAt > 0 ? Math.max(0, sum(account.stored) - before) : 0;
    // Calls that may have reached the database no longer count here, so that nobody is refused for a call counted twice.
    for (const flush of account.own.keys()) if (flush <= progress.begun) account.own.delete(flush);
    account.isRough = wasFlushing || progress.isFlushing || progress.begun !== begun;
    account.readOn = today;
    account.readAt = clock.now().getTime();
  }
}

function windowOf({ windows }: Account, windowMs: number, now: Date): WindowCount {
  return windowAt(windows.get(windowMs) ?? NO_CALLS, windowMs, now.getTime());
}

function sum(days: CallsByDay): number {
  let calls = 0;
  for (const count of days.values()) calls += count;
  return calls;
}
