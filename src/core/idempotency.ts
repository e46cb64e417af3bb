import { AsyncLocalStorage } from 'node:async_hooks';
import { ConflictError, NotFoundError } from './errors.js';
import type { TransactionScope } from './events.js';

/** A request that its client may send again, because it never learnt whether the first one arrived (R19). */
export interface IdempotentCall {
  /** Whose key it is: the same key of somebody else is another one. */
  readonly scope: string;
  /** As the client made it up. */
  readonly key: string;
  /** Method, address and body: what must be the same for it to be the same request. May hold a password; never stored. */
  readonly content: string;
}

/** An answer as it was sent; headers in lower case. */
export interface CachedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request made, with what it takes to answer again: ids, and secrets that are shown once. Kept encrypted. */
export interface WorkNote {
  readonly kind: string;
  readonly made: object;
}

/** The first request with its key, or one that goes on where the first one died. */
export interface IdempotentRun {
  /** What was done already, in its order; empty for the first request. */
  readonly notes: readonly WorkNote[];
  /**
   * Part of the transaction that does the work: it is done with its note, or not at all.
   * @throws ConflictError when the lease has run out and another request with the key has taken over
   */
  note(notes: readonly WorkNote[], transaction: TransactionScope): Promise<void>;
  /** Every repetition gets this answer from now on. */
  keep(answer: CachedAnswer): Promise<void>;
  /** The request failed. The key is free again; what was noted is found by the next request with it. */
  release(): Promise<void>;
}

/** Remembers the answers of requests with an `Idempotency-Key`, for all replicas. */
export interface IdempotencyStore {
  /**
   * @returns the kept answer, or leave to do the work
   * @throws ValidationError when the key belongs to another request, ConflictError while the first one still runs
   */
  begin(call: IdempotentCall): Promise<CachedAnswer | IdempotentRun>;
}

class Repetition {
  private position = 0;
  private done: readonly WorkNote[];
  // By transaction: one that loses a conflict is done again, and what it noted is not.
  private readonly pending = new WeakMap<TransactionScope, WorkNote[]>();

  constructor(private readonly run: IdempotentRun) {
    this.done = run.notes;
  }

  next(kind: string): object | null {
    const note = this.run.notes[this.position];
    if (note?.kind !== kind) return null;
    this.position += 1;
    return note.made;
  }

  async note(note: WorkNote, transaction: TransactionScope): Promise<void> {
    const pending = this.pending.get(transaction) ?? [];
    if (pending.length === 0) {
      this.pending.set(transaction, pending);
      transaction.afterCommit(() => void (this.done = [...this.done, ...pending]));
    }
    pending.push(note);
    await this.run.note([...this.done, ...pending], transaction);
  }
}

const present = new AsyncLocalStorage<Repetition>();

/** Does the work of a request with an `Idempotency-Key`. */
export function workOnce<T>(run: IdempotentRun, work: () => Promise<T>): Promise<T> {
  return present.run(new Repetition(run), work);
}

/**
 * What the present request made of this kind before its process died; null when it did not get so far, and for requests
 * without an `Idempotency-Key`. Asked before anything is checked, in the order in which the work is done.
 */
export function earlierWork<Made extends object>(kind: string): Made | null {
  return (present.getStore()?.next(kind) ?? null) as Made | null;
}

/** Notes what the present request makes, in the transaction that makes it. Without an `Idempotency-Key` it does nothing. */
export async function noteWork(kind: string, made: object, transaction: TransactionScope): Promise<void> {
  await present.getStore()?.note({ kind, made }, transaction);
}

/** For what was made for a request whose answer never arrived, and deleted before it was asked for again. */
export function resultGoneError(): ConflictError {
  const fault = 'What the first request with this key made is gone; take a new key.';
  return new ConflictError({ errors: { 'Idempotency-Key': [fault] } });
}

/** Reads what was made; a missing record becomes {@link resultGoneError}. */
export async function orGone<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw error instanceof NotFoundError ? resultGoneError() : error;
  }
}
