import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/index.js';
import {
  assess,
  begin,
  emptyLedger,
  finish,
  forget,
  isStale,
  refresh,
  secondsBetween,
  type Assessment,
  type AttemptLedger,
} from './attempt-ledger.js';
import { BoundedMap } from './bounded-map.js';
import {
  RESERVATION_SECONDS,
  type AttemptOutcome,
  type AttemptRule,
  type ConsumeOutcome,
  type LimitStore,
  type Reservation,
  type ReserveOutcome,
} from './limit-store.js';

const MAX_WAITING = 1000;

interface Counter {
  count: number;
  /** Milliseconds. */
  endsAt: number;
}

interface Waiter {
  readonly rules: readonly AttemptRule[];
  readonly resolve: (outcome: ReserveOutcome) => void;
  readonly deadline: NodeJS.Timeout;
}

/** Limits of one process. Memory is bounded: beyond `capacity` keys of a kind the ones untouched for longest go. */
export class MemoryLimitStore implements LimitStore {
  private readonly counters: BoundedMap<Counter>;
  private readonly ledgers: BoundedMap<AttemptLedger>;
  private waiting: Waiter[] = [];

  constructor(
    private readonly clock: Clock,
    capacity = 50_000,
  ) {
    this.counters = new BoundedMap(capacity, ({ endsAt }) => endsAt <= this.now());
    this.ledgers = new BoundedMap(
      capacity,
      (ledger) => isStale(ledger, this.now()),
      ({ pending }) => pending.length > 0,
    );
  }

  consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const now = this.now();
    let counter = this.counters.get(key);
    if (!counter || counter.endsAt <= now) counter = { count: 0, endsAt: now + window * 1000 };
    // A clock that went back must not stretch the window (R29).
    counter.endsAt = Math.min(counter.endsAt, now + window * 1000);
    const granted = counter.count < max;
    if (granted) counter.count += 1;
    this.counters.set(key, counter);
    return Promise.resolve(granted ? { granted } : { granted, retryAfter: secondsBetween(now, counter.endsAt) });
  }

  reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    const outcome = this.tryReserve(rules);
    if (outcome) return Promise.resolve(outcome);
    if (this.waiting.length >= MAX_WAITING) return Promise.resolve({ granted: false, retryAfter: 1 });
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.giveUp(waiter), RESERVATION_SECONDS * 1000).unref();
      const waiter: Waiter = { rules, resolve, deadline };
      this.waiting.push(waiter);
    });
  }

  settle({ id, rules }: Reservation, outcome: AttemptOutcome): Promise<void> {
    const now = this.now();
    for (const rule of rules) {
      const ledger = this.ledgers.get(rule.key);
      if (!ledger) continue;
      refresh(ledger, rule, now);
      finish(ledger, rule, id, outcome, now);
      if (isStale(ledger, now)) this.ledgers.delete(rule.key);
    }
    this.wake();
    return Promise.resolve();
  }

  clear(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const ledger = this.ledgers.get(key);
      if (ledger) forget(ledger);
      this.counters.delete(key);
    }
    this.wake();
    return Promise.resolve();
  }

  /** @returns null when a rule is full only because of attempts under way */
  private tryReserve(rules: readonly AttemptRule[]): ReserveOutcome | null {
    const now = this.now();
    const assessments = rules.map((rule): Assessment => {
      const ledger = this.ledgers.get(rule.key);
      if (!ledger) return { verdict: 'free' };
      refresh(ledger, rule, now);
      return assess(ledger, rule, now);
    });
    const waits = assessments.flatMap((found) => (found.verdict === 'full' ? [found.retryAfter] : []));
    if (waits.length > 0) return { granted: false, retryAfter: Math.max(...waits) };
    if (assessments.some(({ verdict }) => verdict === 'busy')) return null;
    const id = randomUUID();
    for (const rule of rules) {
      const ledger = this.ledgers.get(rule.key) ?? emptyLedger();
      begin(ledger, rule, id, now);
      this.ledgers.set(rule.key, ledger);
    }
    return { granted: true, reservation: { id, rules } };
  }

  // In the order of arrival; who still has to wait keeps the place in the line.
  private wake(): void {
    this.waiting = this.waiting.filter((waiter) => {
      const outcome = this.tryReserve(waiter.rules);
      if (!outcome) return true;
      clearTimeout(waiter.deadline);
      waiter.resolve(outcome);
      return false;
    });
  }

  private giveUp(waiter: Waiter): void {
    this.waiting = this.waiting.filter((other) => other !== waiter);
    waiter.resolve(this.tryReserve(waiter.rules) ?? { granted: false, retryAfter: 1 });
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
