import { randomUUID } from 'node:crypto';
import type { Database } from '../database/index.js';
import type { Clock, Logger } from '../kernel/index.js';
import { assess, begin, finish, forget, refresh, type AttemptLedger } from './attempt-ledger.js';
import { CounterTable } from './counter-table.js';
import { LedgerTable } from './ledger-table.js';
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
/** Milliseconds between two looks at a full rule; other workers cannot tell this one that a place is free. */
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 250;
const TIDY_EVERY_MS = 60_000;

export interface DatabaseLimitStoreParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Limits of every worker and replica that shares a database (S15). Never to be asked inside a transaction of the caller:
 * each step has one of its own, which with a pool of one would wait for it (R25).
 */
export class DatabaseLimitStore implements LimitStore {
  private readonly counters: CounterTable;
  private readonly ledgers: LedgerTable;
  private readonly lines = new WaitingLines();
  private readonly sleepers = new Set<() => void>();
  private tidyAt = 0;

  constructor(private readonly parts: DatabaseLimitStoreParts) {
    this.counters = new CounterTable(parts.database);
    this.ledgers = new LedgerTable(parts.database);
  }

  consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    return this.counters.consume(key, max, window, this.parts.clock.now());
  }

  async reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    if (this.lines.size >= MAX_WAITING) return { granted: false, retryAfter: 1 };
    const deadline = performance.now() + RESERVATION_SECONDS * 1000;
    // Attempts under the same rules would only wake each other up: the first of them looks, the others wait behind it.
    const line = rules.map(({ key }) => key).join(' ');
    return this.lines.inTurn(line, () => this.untilDecided(rules, deadline));
  }

  async settle({ id, rules }: Reservation, outcome: AttemptOutcome): Promise<void> {
    const keys = rules.map(({ key }) => key);
    await this.ledgers.change(keys, 'skip', (ledgers) => {
      const now = this.now();
      for (const rule of rules) {
        const ledger = ledgers.get(rule.key);
        if (!ledger) continue;
        refresh(ledger, rule, now);
        finish(ledger, rule, id, outcome, now);
      }
    });
    this.wake();
    await this.tidy();
  }

  async clear(keys: readonly string[]): Promise<void> {
    await this.ledgers.change(keys, 'skip', (ledgers) => ledgers.forEach(forget));
    await this.counters.clear(keys);
    this.wake();
  }

  private async untilDecided(rules: readonly AttemptRule[], deadline: number): Promise<ReserveOutcome> {
    for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const outcome = await this.tryReserve(rules);
      if (outcome) return outcome;
      if (performance.now() >= deadline) return { granted: false, retryAfter: 1 };
      await this.sleep(pause * (0.5 + Math.random()));
    }
  }

  /** @returns null when a rule is full only because of attempts under way */
  private tryReserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome | null> {
    const keys = rules.map(({ key }) => key);
    return this.ledgers.change(keys, 'create', (ledgers): ReserveOutcome | null => {
      const now = this.now();
      const counted = rules.map((rule) => ({ rule, ledger: ledgerOf(rule, ledgers) }));
      for (const { rule, ledger } of counted) refresh(ledger, rule, now);
      const assessments = counted.map(({ rule, ledger }) => assess(ledger, rule, now));
      const waits = assessments.flatMap((found) => (found.verdict === 'full' ? [found.retryAfter] : []));
      if (waits.length > 0) return { granted: false, retryAfter: Math.max(...waits) };
      if (assessments.some(({ verdict }) => verdict === 'busy')) return null;
      const id = randomUUID();
      for (const { rule, ledger } of counted) begin(ledger, rule, id, now);
      return { granted: true, reservation: { id, rules } };
    });
  }

  /** Ends early when an attempt of this process was settled. */
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

  /** Now and then removes rows that have run out. What cannot be tidied now is tidied later: no login fails for it. */
  private async tidy(): Promise<void> {
    const { clock, logger } = this.parts;
    const now = clock.now();
    if (Math.abs(now.getTime() - this.tidyAt) < TIDY_EVERY_MS) return;
    this.tidyAt = now.getTime();
    try {
      await this.ledgers.removeStale(now);
      await this.counters.removeStale(now);
    } catch (error) {
      logger.warn({ err: error }, 'limits that have run out were not removed');
    }
  }

  private now(): number {
    return this.parts.clock.now().getTime();
  }
}

function ledgerOf({ key }: AttemptRule, ledgers: ReadonlyMap<string, AttemptLedger>): AttemptLedger {
  const ledger = ledgers.get(key);
  if (!ledger) throw new Error(`the ledger of ${key} was created but not found`);
  return ledger;
}
