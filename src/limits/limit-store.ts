/**
 * One bound on guarded attempts, for example "5 failed logins of one account from one address in 60 s". Everything a rule
 * counted lives under its `key`; the store invents nothing, so that replicas with the same configuration agree.
 */
export interface AttemptRule {
  readonly key: string;
  /** Failures (or, with `member`, distinct failing members) allowed per window. */
  readonly max: number;
  /** Seconds, sliding. */
  readonly window: number;
  /** When given, the rule counts how many distinct members failed, and refuses all once there are `max`. */
  readonly member?: string | undefined;
  /** Maximum number of concurrent attempts; more are refused at once. Unlimited within `max` if omitted. */
  readonly atOnce?: number | undefined;
  /** A successful attempt clears the key. Never for rules against one client trying many accounts (S14). */
  readonly clearedBySuccess: boolean;
  /** After `max` failures the key is locked: for `initial` seconds, doubled by each further failure up to `longest`. */
  readonly lockout?: {
    readonly initial: number;
    readonly longest: number;
    /** After this many failures without a success the key stays locked until it is cleared. */
    readonly maxInARow: number;
  };
}

/** The right to evaluate one attempt. */
export interface Reservation {
  readonly id: string;
  readonly rules: readonly AttemptRule[];
}

/** `retryAfter`: seconds from now until an attempt may be granted again; never below 1. */
export type LimitRefusal = { readonly granted: false; readonly retryAfter: number };
export type ReserveOutcome = { readonly granted: true; readonly reservation: Reservation } | LimitRefusal;
export type ConsumeOutcome = { readonly granted: true } | LimitRefusal;

/** `dropped`: the attempt was not evaluated because of an error, so it counts as neither failed nor passed. */
export type AttemptOutcome = 'failed' | 'passed' | 'dropped';

/** Seconds after which a reservation whose holder died frees its slot. */
export const RESERVATION_SECONDS = 30;

/**
 * Counters behind the limits of a portal, shared by everything that must agree on them (S15).
 *
 * `reserve` and `settle` bound attempts that are expensive or revealing: a place is taken BEFORE a password is hashed, so
 * that failures plus attempts under way never exceed a rule's `max` and parallel guesses cannot slip through; a passed
 * attempt gives its place back uncounted, so that parallel right logins all pass (S16).
 *
 * For implementers: every method is one atomic step over the keys of its rules. `attempt-ledger.ts` is that step as pure
 * functions over one small JSON document per key. In SQL it is one transaction that locks the rows of all keys in sorted
 * order, applies the functions and writes the documents back; in Redis the documents are written back by a script that
 * does nothing unless all are as they were read. `busy` ends such a step without a change; memory then waits for a
 * `settle`, a shared store asks again after a short random pause. No method waits longer than {@link RESERVATION_SECONDS}.
 */
export interface LimitStore {
  /** Counts one request in a fixed window that begins with its first request. A refused one is not counted. */
  consume(key: string, max: number, window: number): Promise<ConsumeOutcome>;
  /** Takes a slot under all rules or under none. Waits while a rule is full only because of attempts in progress. */
  reserve(rules: readonly AttemptRule[]): Promise<ReserveOutcome>;
  /** Ends a reservation. Does nothing if it was settled before or has expired. */
  settle(reservation: Reservation, outcome: AttemptOutcome): Promise<void>;
  /** Clears all counts under the keys; attempts in progress keep their slots. */
  clear(keys: readonly string[]): Promise<void>;
}
