import type { Clock, Logger, ProcessMetrics } from '../core/index.js';
import type {
  AttemptOutcome,
  AttemptRule,
  ConsumeOutcome,
  LimitStore,
  Reservation,
  ReserveOutcome,
} from './limit-store.js';
import { RedisUnavailableError } from '../cache/index.js';

const LOG_EVERY_MS = 10_000;

export interface FallbackParts {
  /** The store that all replicas share. */
  readonly shared: LimitStore;
  /** The store of this process. */
  readonly own: LimitStore;
  /** Number of processes that divide a limit among themselves. */
  readonly replicas: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly processMetrics: Pick<ProcessMetrics, 'count'>;
}

/**
 * Keeps limits working while Redis is down (R09). Each process then counts its own share of every limit; once Redis is
 * back, possibly empty, these counts stay in force until their window has passed. So an attacker gets at most twice a
 * limit, and nobody an error.
 */
export class FallbackLimitStore implements LimitStore {
  /** Attempts reserved in this process. */
  private readonly own = new Set<string>();
  /** By the clock of the rules. */
  private awayAt = Number.NEGATIVE_INFINITY;
  /** By the process's clock, for the log. */
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: FallbackParts) {}

  async consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const consumeLocally = () => this.parts.own.consume(key, this.part(max), window);
    if (this.wasAway(window)) {
      const outcome = await consumeLocally();
      if (!outcome.granted) return outcome;
    }
    return this.orElse(() => this.parts.shared.consume(key, max, window), consumeLocally);
  }

  async reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    if (this.wasAway(Math.max(...rules.map(({ window }) => window)))) {
      const place = await this.parts.own.reserve(this.divideRules(rules));
      if (!place.granted) return place;
      await this.parts.own.settle(place.reservation, 'dropped');
    }
    return this.orElse(
      () => this.parts.shared.reserve(rules),
      () => this.reserveHere(rules),
    );
  }

  async settle(reservation: Reservation, outcome: AttemptOutcome): Promise<void> {
    const { shared, own } = this.parts;
    if (this.own.delete(reservation.id)) return own.settle(reservation, outcome);
    await this.orElse(
      () => shared.settle(reservation, outcome),
      async () => {
        // Started with Redis, finished without: counted here as if it had started here.
        const place = await this.reserveHere(reservation.rules);
        if (!place.granted) return;
        this.own.delete(place.reservation.id);
        await own.settle(place.reservation, outcome);
      },
    );
  }

  /** @throws RedisUnavailableError: a lock stored in Redis cannot be lifted */
  async clear(keys: readonly string[]): Promise<void> {
    await this.parts.own.clear(keys);
    await this.parts.shared.clear(keys);
  }

  private async reserveHere(rules: readonly AttemptRule[]): Promise<ReserveOutcome> {
    const place = await this.parts.own.reserve(this.divideRules(rules));
    if (place.granted) this.own.add(place.reservation.id);
    return place;
  }

  private async orElse<T>(shared: () => Promise<T>, consumeLocally: () => Promise<T>): Promise<T> {
    try {
      return await shared();
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      this.awayAt = this.parts.clock.now().getTime();
      this.parts.processMetrics.count('limit_fallbacks_total');
      this.tell(error);
      return consumeLocally();
    }
  }

  private tell(error: RedisUnavailableError): void {
    const { logger, replicas } = this.parts;
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = now;
    logger.warn({ err: error, replicas: replicas() }, 'limits are counted in this process: Redis is away');
  }

  // By absolute difference, in case the clock was set back.
  private wasAway(window: number): boolean {
    return Math.abs(this.parts.clock.now().getTime() - this.awayAt) < window * 1000;
  }

  private divideRules(rules: readonly AttemptRule[]): AttemptRule[] {
    return rules.map((rule) => ({ ...rule, max: this.part(rule.max) }));
  }

  private part(max: number): number {
    return Math.max(1, Math.floor(max / this.parts.replicas()));
  }
}
