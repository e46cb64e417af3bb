import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger, Tracer, ProcessMetrics } from '../core/index.js';
import { GatewayUnavailableError } from './errors.js';
import { Bulkhead } from './bulkhead.js';
import { CallFailure, gatewayErrorOf } from './call-failure.js';
import { CircuitBreaker, type BackendOutcome } from './circuit-breaker.js';
import { traceExchange, type RemoteAnswer, type RemoteRequest } from './http-exchange.js';
import { RateLimiter, type Pace } from './rate-limiter.js';

export interface RemoteOptions {
  /** The backend's name in errors and logs. */
  readonly name: string;
  /** Longest wait for one response, in milliseconds. */
  readonly timeout: number;
  readonly callsPerMinute: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly processMetrics?: ProcessMetrics | undefined;
  readonly tracer?: Tracer | undefined;
  /** Tests replace time and randomness. */
  readonly pace?: Pace;
  readonly random?: () => number;
}

export interface CallTerms<T> {
  /** The call is idempotent. */
  readonly isRepeatable: boolean;
  /** @throws an error of the contract for a refusal, CallFailure for a response that makes no sense */
  readonly read: (answer: RemoteAnswer) => T;
  /** Looks for the result of a call whose response was lost; undefined: it was not carried out. */
  readonly recover?: () => Promise<T | undefined>;
}

/** R12 and R13. */
const PARALLEL = 20;
const MOST_RETRIES = 2;
const RETRY_MS = { min: 100, max: 1_000 };
const OPERATION_MS = 8_000;
/** Longest wait for a slot. */
const PLACE_MS = 1_000;
/** Every consecutive timeout halves the time for the next call, down to this. */
const LEAST_TIMEOUT_MS = 250;

/** Time budget for all calls of one driver operation. */
export interface Budget {
  /** Milliseconds. */
  left(): number;
}

const realTime: Pace = { now: () => performance.now(), pause: (milliseconds) => sleep(milliseconds) };

/**
 * Client of a backend: bounds the duration of calls, retries only where that is safe, respects a quota, pauses while
 * the backend is down and limits its share of the process.
 */
export class RemoteClient {
  private readonly breaker: CircuitBreaker;
  private readonly bulkhead: Bulkhead;
  private readonly rateLimiter: RateLimiter;
  private readonly pace: Pace;
  /** Consecutive calls that timed out. */
  private unanswered = 0;

  constructor(private readonly options: RemoteOptions) {
    const { name, clock, logger, processMetrics, callsPerMinute, pace = realTime } = options;
    this.pace = pace;
    this.breaker = new CircuitBreaker(clock, name, () => {
      logger.error({ gateway: name }, 'the gateway is down');
      processMetrics?.count('gateway_breaker_opened_total');
    });
    this.bulkhead = new Bulkhead(PARALLEL, name);
    this.rateLimiter = new RateLimiter(callsPerMinute, name, pace);
  }

  /** Starts an operation. */
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
    let outcome: BackendOutcome = 'none';
    try {
      await this.rateLimiter.turn(budget.left());
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
        if (error.kind === 'throttled') this.rateLimiter.hold(seconds(error.retryAfter ?? 1));
      }
      throw error;
    } finally {
      settle(outcome);
    }
  }

  // A request may need several calls, including rollbacks: together they must not wait for a hanging backend (R11). The
  // probe call gets the full time.
  private timeout(): number {
    const { timeout } = this.options;
    return this.breaker.isOpen ? timeout : Math.max(LEAST_TIMEOUT_MS, timeout / 2 ** this.unanswered);
  }

  private exchange(request: RemoteRequest, timeout: number): Promise<RemoteAnswer> {
    if (timeout >= 1) return traceExchange(this.options, request, Math.floor(timeout));
    throw new GatewayUnavailableError(1, { detail: `${request.label}: no time was left` });
  }

  /** Milliseconds; null: no retry. A call that used up its time is not repeated: a person is waiting (R11). */
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
