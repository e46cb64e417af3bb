import { randomUUID } from 'node:crypto';
import { assess, begin, finish, forget, refresh, type AttemptLedger } from './attempt-ledger.js';
import {
  RESERVATION_SECONDS,
  type AttemptOutcome,
  type AttemptRule,
  type ConsumeOutcome,
  type LimitStore,
  type Reservation,
  type ReserveOutcome,
} from './limit-store.js';
import { WaitingLines } from './waiting-lines.js';

const MAX_WAITING = 1000;
/** Milliseconds between checks of a full rule; other workers cannot signal a free slot to this one. */
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 250;

/** Stores ledgers that several parties change, one step at a time. */
export interface Ledgers {
  /**
   * One atomic step over the ledgers of `keys`; missing ones start empty. The step may run several times.
   * @param step `now` is in milliseconds of the store's clock
   */
  change<T>(keys: readonly string[], step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T): Promise<T>;
  /** A step for each existing ledger of `keys`, each atomic by itself. It may run several times. */
  changeEach(keys: readonly string[], step: (ledger: AttemptLedger, key: string, now: number) => void): Promise<void>;
}

/** Shared counters of requests in fixed windows. */
export interface Counters {
  consume(key: string, max: number, window: number): Promise<ConsumeOutcome>;
  clear(keys: readonly string[]): Promise<void>;
}

/** Limits over shared ledgers and counters: of one process, or of every worker and replica (S15). */
export class LedgerLimitStore implements LimitStore {
  private readonly lines = new WaitingLines();
  private readonly sleepers = new Set<() => void>();

  constructor(
    private readonly ledgers: Ledgers,
    private readonly counters: Counters,
  ) {}

  consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    return this.counters.consume(key, max, window);
  }

  async reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    if (this.lines.size >= MAX_WAITING) return { granted: false, retryAfter: 1 };
    const deadline = performance.now() + RESERVATION_SECONDS * 1000;
    // Attempts under the same rules would only wake each other up: the first one polls, the others queue behind it.
    const line = rules.map(({ key }) => key).join(' ');
    return this.lines.inTurn(line, () => this.reserveRepeatedly(rules, deadline));
  }

  async settle({ id, rules }: Reservation, outcome: AttemptOutcome): Promise<void> {
    const keys = rules.map(({ key }) => key);
    await this.ledgers.changeEach(keys, (ledger, key, now) => {
      for (const rule of rules.filter((other) => other.key === key)) {
        refresh(ledger, rule, now);
        finish(ledger, rule, id, outcome, now);
      }
    });
    this.wake();
  }

  async clear(keys: readonly string[]): Promise<void> {
    await this.ledgers.changeEach(keys, forget);
    await this.counters.clear(keys);
    this.wake();
  }

  private async reserveRepeatedly(rules: readonly AttemptRule[], deadline: number): Promise<ReserveOutcome> {
    for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const outcome = await this.tryReserve(rules);
      if (outcome) return outcome;
      if (performance.now() >= deadline) return { granted: false, retryAfter: 1 };
      await this.sleep(pause * (0.5 + Math.random()));
    }
  }

  /** @returns null when a rule is full only because of attempts in progress */
  private tryReserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome | null> {
    const keys = rules.map(({ key }) => key);
    return this.ledgers.change(keys, (ledgers, now): ReserveOutcome | null => {
      const counted = rules.map((rule) => ({ rule, ledger: ledgerOf(rule, ledgers) }));
      for (const { rule, ledger } of counted) refresh(ledger, rule, now);
      const assessments = counted.map(({ rule, ledger }) => assess(ledger, rule, now));
      const waits = assessments.flatMap((found) => (found.state === 'full' ? [found.retryAfter] : []));
      if (waits.length > 0) return { granted: false, retryAfter: Math.max(...waits) };
      if (assessments.some(({ state }) => state === 'busy')) return null;
      const id = randomUUID();
      for (const { rule, ledger } of counted) begin(ledger, rule, id, now);
      return { granted: true, reservation: { id, rules } };
    });
  }

  /** Ends early when an attempt of this process is settled. */
  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.sleepers.add(wake);
    });
  }

  private wake(): void {
    for (const wake of [...this.sleepers]) wake();
  }
}

function ledgerOf({ key }: AttemptRule, ledgers: ReadonlyMap<string, AttemptLedger>): AttemptLedger {
  const ledger = ledgers.get(key);
  if (!ledger) throw new Error(`the ledger of ${key} was created but not found`);
  return ledger;
}
