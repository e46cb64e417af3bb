import { RESERVATION_SECONDS, type AttemptOutcome, type AttemptRule } from './limit-store.js';

/** Counts under one key. Plain JSON; times in milliseconds of the store's clock. */
export interface AttemptLedger {
  /** Failures in the window, oldest first, at most `max`; with members one per member. */
  failures: { at: number; member?: string | undefined }[];
  /** Attempts in progress. */
  pending: { id: string; until: number; member?: string | undefined }[];
  inARow: number;
  /** How often the lock was doubled; 0 if not locked recently. */
  level: number;
  lockedUntil: number;
  /** When the store may forget the ledger. */
  staleAt: number;
}

/** How long consecutive failures are remembered after the last one; a lock that only clearing lifts ends then, too. */
const IN_A_ROW_SECONDS = 365 * 24 * 3600;

export type Assessment = { state: 'free' } | { state: 'busy' } | { state: 'full'; retryAfter: number };

export function makeLedger(): AttemptLedger {
  return { failures: [], pending: [], inARow: 0, level: 0, lockedUntil: 0, staleAt: 0 };
}

/** Whether the ledger can be dropped without losing anything. */
export function isStale({ failures, pending, inARow, staleAt }: AttemptLedger, now: number): boolean {
  return pending.length === 0 && (staleAt <= now || failures.length + inARow === 0);
}

/** When the ledger can be dropped, in milliseconds. */
export function findEnd({ failures, inARow, staleAt, pending }: AttemptLedger): number {
  const remembered = failures.length + inARow > 0 ? staleAt : 0;
  return Math.max(remembered, ...pending.map(({ until }) => until));
}

/**
 * Drops expired entries. Future times are first set to now: after the clock was set back, a failure or lock must not
 * last longer than if it started now (R29).
 */
export function refresh(ledger: AttemptLedger, rule: AttemptRule, now: number): void {
  const { lockout } = rule;
  for (const failure of ledger.failures) failure.at = Math.min(failure.at, now);
  for (const attempt of ledger.pending) attempt.until = Math.min(attempt.until, now + RESERVATION_SECONDS * 1000);
  ledger.lockedUntil = Math.min(ledger.lockedUntil, now + (lockout?.longest ?? 0) * 1000);
  ledger.staleAt = Math.min(ledger.staleAt, now + secondsToRemember(rule) * 1000);
  if (ledger.staleAt <= now) forget(ledger);
  ledger.failures = ledger.failures.filter(({ at }) => at + rule.window * 1000 > now);
  ledger.pending = ledger.pending.filter(({ until }) => until > now);
  // Locks keep growing until a whole window has passed without a failure.
  if (ledger.level > 0 && now >= ledger.lockedUntil + rule.window * 1000) ledger.level = 0;
}

/** Whether another attempt may start. Expects a refreshed ledger. */
export function assess(ledger: AttemptLedger, rule: AttemptRule, now: number): Assessment {
  const { lockout } = rule;
  if (lockout && ledger.inARow >= lockout.maxInARow) {
    return { state: 'full', retryAfter: secondsBetween(now, ledger.staleAt) };
  }
  if (ledger.lockedUntil > now) return { state: 'full', retryAfter: secondsBetween(now, ledger.lockedUntil) };
  if (!lockout && ledger.failures.length >= rule.max) {
    const oldest = ledger.failures[ledger.failures.length - rule.max]?.at ?? now;
    return { state: 'full', retryAfter: secondsBetween(now, oldest + rule.window * 1000) };
  }
  if (rule.atOnce !== undefined && ledger.pending.length >= rule.atOnce) return { state: 'full', retryAfter: 1 };
  return countTaken(ledger, rule) < places(ledger, rule) ? { state: 'free' } : { state: 'busy' };
}

// After a lock, one attempt at a time decides whether the next, longer lock begins.
function places(ledger: AttemptLedger, { max, lockout }: AttemptRule): number {
  if (!lockout) return max - ledger.failures.length;
  const room = ledger.level > 0 ? 1 : Math.max(1, max - ledger.failures.length);
  return Math.min(room, lockout.maxInARow - ledger.inARow);
}

function countTaken({ failures, pending }: AttemptLedger, { member }: AttemptRule): number {
  if (member === undefined) return pending.length;
  const counted = new Set(failures.map((failure) => failure.member));
  // A member that failed before, or is being tried, takes no additional slot.
  const trying = new Set(pending.map((attempt) => attempt.member).filter((other) => !counted.has(other)));
  trying.delete(member);
  return counted.has(member) ? 0 : trying.size;
}

export function begin(ledger: AttemptLedger, rule: AttemptRule, id: string, now: number): void {
  ledger.pending.push({ id, until: now + RESERVATION_SECONDS * 1000, member: rule.member });
}

/** @returns false when the attempt is no longer in progress; then nothing is counted */
export function finish(
  ledger: AttemptLedger,
  rule: AttemptRule,
  id: string,
  outcome: AttemptOutcome,
  now: number,
): boolean {
  const index = ledger.pending.findIndex((attempt) => attempt.id === id);
  if (index < 0) return false;
  ledger.pending.splice(index, 1);
  if (outcome === 'failed') countFailure(ledger, rule, now);
  if (outcome === 'passed' && rule.clearedBySuccess) forget(ledger);
  return true;
}

function secondsToRemember({ lockout, window }: AttemptRule): number {
  return lockout ? IN_A_ROW_SECONDS : window;
}

export function forget(ledger: AttemptLedger): void {
  Object.assign(ledger, { ...makeLedger(), pending: ledger.pending });
}

function countFailure(ledger: AttemptLedger, rule: AttemptRule, now: number): void {
  const { lockout, member } = rule;
  const others = member === undefined ? ledger.failures : ledger.failures.filter((other) => other.member !== member);
  ledger.failures = [...others, { at: now, member }].slice(-rule.max);
  ledger.staleAt = now + secondsToRemember(rule) * 1000;
  if (!lockout) return;
  ledger.inARow += 1;
  if (ledger.level === 0 && ledger.failures.length < rule.max) return;
  ledger.level += 1;
  const seconds = Math.min(lockout.initial * 2 ** Math.min(ledger.level - 1, 30), lockout.longest);
  ledger.lockedUntil = now + seconds * 1000;
}

/** Whole seconds, rounded up, at least 1. */
export function secondsBetween(now: number, then: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000));
}
