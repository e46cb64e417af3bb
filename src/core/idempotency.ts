import { AsyncLocalStorage } from 'node:async_hooks';
import { ConflictError, NotFoundError } from './errors.js';
import type { TransactionScope } from './events.js';

/** A request that its client may retry because it never got an answer (R19). */
export interface IdempotentCall {
  /** Owner of the key: equal keys of different owners are independent. */
  readonly scope: string;
  /** Chosen by the client. */
  readonly key: string;
  /** Method, URL and body, which must match for a retry. May contain a password; never stored. */
  readonly content: string;
}

/** A sent answer; header names in lower case. */
export interface CachedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request created, as needed to answer again: ids, and secrets that are shown once. Stored encrypted. */
export interface WorkNote {
  readonly kind: string;
  readonly made: object;
}

/** The first request with its key, or a retry that continues where the first one died. */
export interface IdempotentRun {
  /** Work already done, in order; empty for the first request. */
  readonly notes: readonly WorkNote[];
  /**
   * Writes the notes in the transaction that does the work, so that both commit or neither does.
   * @throws ConflictError when the lease has expired and a retry has taken over
   */
  note(notes: readonly WorkNote[], transaction: TransactionScope): Promise<void>;
  /** Stores the answer for all retries. */
  keep(answer: CachedAnswer): Promise<void>;
  /** Frees the key after a failure; the next request with it gets the notes. */
  release(): Promise<void>;
}

/** Stores the answers of requests with an `Idempotency-Key`, for all replicas. */
export interface IdempotencyStore {
  /**
   * @returns the stored answer, or a run that permits doing the work
   * @throws ValidationError when the key was used for another request, ConflictError while the first one still runs
   */
  begin(call: IdempotentCall): Promise<CachedAnswer | IdempotentRun>;
}

class Repetition {
  private position = 0;
  private done: readonly WorkNote[];
  // Per transaction: a retry after a conflict discards the notes of the failed attempt.
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

/** Runs the work of a request with an `Idempotency-Key`. */
export function workOnce<T>(run: IdempotentRun, work: () => Promise<T>): Promise<T> {
  return present.run(new Repetition(run), work);
}

/**
 * What an earlier attempt of this request created of this kind before its process died; null when it did not get that
 * far, and without an `Idempotency-Key`. Call it before any checks, in the order of the work.
 */
export function findEarlierWork<Made extends object>(kind: string): Made | null {
  return (present.getStore()?.next(kind) ?? null) as Made | null;
}

/** Notes what this request creates, in the same transaction. Does nothing without an `Idempotency-Key`. */
export async function noteWork(kind: string, made: object, transaction: TransactionScope): Promise<void> {
  await present.getStore()?.note({ kind, made }, transaction);
}

/** The record that an unanswered request created was deleted before the retry. */
export function resultGoneError(): ConflictError {
  const fault = 'What the first request with this key made is gone; take a new key.';
  return new ConflictError({ errors: { 'Idempotency-Key': [fault] } });
}

/** Reads a record created earlier; a missing one becomes {@link resultGoneError}. */
export async function requireResult<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw error instanceof NotFoundError ? resultGoneError() : error;
  }
}
