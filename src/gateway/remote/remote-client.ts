import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger, Tracer, ProcessMetrics } from '../../core/index.js';
import { GatewayUnavailableError } from '../errors.js';
import { Bulkhead } from './bulkhead.js';
import { CallFailure, gatewayErrorOf } from './call-failure.js';
import { CircuitBreaker, type Outcome } from './circuit-breaker.js';
import { traceExchange, type RemoteAnswer, type RemoteRequest } from './http-exchange.js';
import { RateLimiter, type Pace } from './rate-limiter.js';

export interface RemoteOptions {
  /** As errors and logs call the backend. */
  readonly name: string;
  /** Longest wait for one answer, in milliseconds. */
  readonly timeout: number;
  readonly callsPerMinute: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly vitals?: ProcessMetrics | undefined;
  readonly tracer?: Tracer | undefined;
  /** Tests bring their own time and chance. */
  readonly pace?: Pace;
  readonly random?: () => number;
}

export interface CallTerms<T> {
  /** Doing it twice is as good as once. */
  readonly isRepeatable: boolean;
  /** @throws an error of the contract for a refusal, CallFailure for an answer that makes no sense */
  readonly read: (answer: RemoteAnswer) => T;
  /** Looks for the result of a call whose answer was lost; undefined: it was not done. */
  readonly recover?: () => Promise<T | undefined>;
}

/** R12 and R13. */
const PARALLEL = 20;
const MOST_RETRIES = 2;
const RETRY_MS = { min: 100, max: 1_000 };
const OPERATION_MS = 8_000;
/** A caller waits for a place no longer than that. */
const PLACE_MS = 1_000;
/** Every call that was waited for in vain halves the time for the next one, down to this. */
const LEAST_TIMEOUT_MS = 250;

/** How long everything that one operation of a driver does may take. */
export interface Budget {
  /** Milliseconds. */
  left(): number;
}

const realTime: Pace = { now: () => performance.now(), pause: (milliseconds) => sleep(milliseconds) };

/**
 * The line to a backend: calls that end in time, are repeated only where that does no harm, keep below a quota, stop for a
 * while when the backend is down and never take more than their share of the process.
 */
export class RemoteClient {
  private readonly breaker: CircuitBreaker;
  private readonly bulkhead: Bulkhead;
  private readonly pacer: RateLimiter;
  private readonly pace: Pace;
  /** Calls in a row that were not answered in time. */
  private unanswered = 0;

  constructor(private readonly options: RemoteOptions) {
    const { name, clock, logger, vitals, callsPerMinute, pace = realTime } = options;
    this.pace = pace;
    this.breaker = new CircuitBreaker(clock, name, () => {
      logger.error({ gateway: name }, 'the gateway is down');
      vitals?.count('gateway_breaker_opened_total');
    });
    this.bulkhead = new Bulkhead(PARALLEL, name);
    this.pacer = new RateLimiter(callsPerMinute, name, pace);
  }

  /** Begins an operation. */
  begin(): Budget {
    const end = this.pace.now() + OPERATION_MS;
    return { left: () => Math.max(0, end - this.pace.now()) };
  }

  /** @throws the errors of the contract */
  async call<T>(request: RemoteRequest, terms: CallTerms<T>, budget: Budget): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.attempt(request, terms, budget);
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        const wait = this.waitBeforeNext(error, attempt, terms.isRepeatable, budget);
        if (wait === null) return this.recover(error, terms);
        this.options.logger.debug({ err: error, wait_ms: Math.round(wait) }, 'a call of the gateway is repeated');
        await this.pace.pause(wait);
      }
    }
  }

  private async attempt<T>(request: RemoteRequest, { read }: CallTerms<T>, budget: Budget): Promise<T> {
    const timeout = this.timeout();
    const settle = this.breaker.enter();
    let outcome: Outcome = 'none';
    try {
      await this.pacer.turn(budget.left());
      const patience = Math.min(PLACE_MS, budget.left());
      const answer = await this.bulkhead.run(() => this.exchange(request, Math.min(timeout, budget.left())), patience);
      // A refusal is an answer too.
      outcome = 'good';
      this.unanswered = 0;
      return read(answer);
    } catch (error) {
      if (error instanceof CallFailure) {
        outcome = error.countsAsIllness ? 'bad' : 'good';
        if (error.kind === 'timeout') this.unanswered += 1;
        if (error.kind === 'throttled') this.pacer.hold(seconds(error.retryAfter ?? 1));
      }
      throw error;
    } finally {
      settle(outcome);
    }
  }

  // Who asks for something may have to wait for several calls, those that take it back included: all of them together must
  // not wait for a backend that hangs (R11). The one that finds out whether it is back has its full time.
  private timeout(): number {
    const { timeout } = this.options;
    return this.breaker.isOpen ? timeout : Math.max(LEAST_TIMEOUT_MS, timeout / 2 ** this.unanswered);
  }

  private exchange(request: RemoteRequest, timeout: number): Promise<RemoteAnswer> {
    if (timeout >= 1) return traceExchange(this.options, request, Math.floor(timeout));
    throw new GatewayUnavailableError(1, { detail: `${request.label}: no time was left` });
  }

  /** Milliseconds; null: it is over. What took all of its time is not repeated: people wait (R11). */
  private waitBeforeNext(failure: CallFailure, attempt: number, isRepeatable: boolean, budget: Budget): number | null {
    if (attempt >= MOST_RETRIES || failure.kind === 'timeout') return null;
    if (failure.outcomeIsUnknown && !isRepeatable) return null;
    const { min, max } = RETRY_MS;
    const jitter = min + (this.options.random ?? Math.random)() * (max - min);
    const wait = Math.max(jitter, seconds(failure.retryAfter ?? 0));
    return wait < budget.left() ? wait : null;
  }

  private async recover<T>(failure: CallFailure, { recover }: CallTerms<T>): Promise<T> {
    if (recover && failure.outcomeIsUnknown) {
      const found = await recover().catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw gatewayErrorOf(failure);
  }
}

const seconds = (count: number): number => count * 1000;
