import { PreconditionFailedError } from './errors.js';

/**
 * The state of a record that a change was based on, by its time of change (`If-Match`). Undefined: the caller does not
 * mind what it overwrites.
 */
export type ExpectedVersion = Date | undefined;

/**
 * Refuses a change that was based on an older state. Call it with the row that the transaction has locked, else two
 * changes at once both pass.
 * @throws PreconditionFailedError
 */
export function requireVersion(expected: ExpectedVersion, { updatedAt }: { readonly updatedAt: Date }): void {
  if (expected !== undefined && expected.getTime() !== updatedAt.getTime()) throw new PreconditionFailedError();
}

/** The time of change of a record after it: now, and always later than before, so that no two states share one. */
export function nextVersion(now: Date, { updatedAt }: { readonly updatedAt: Date }): Date {
  return now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
