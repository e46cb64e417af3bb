import { PreconditionFailedError } from './errors.js';

/** The version of a record that a change is based on: its `updatedAt` (`If-Match`). Undefined: overwrite any version. */
export type ExpectedVersion = Date | undefined;

/**
 * Refuses a change that is based on an older version. Pass the row that the transaction has locked; otherwise two
 * concurrent changes both pass.
 * @throws PreconditionFailedError
 */
export function requireVersion(expected: ExpectedVersion, { updatedAt }: { readonly updatedAt: Date }): void {
  if (expected !== undefined && expected.getTime() !== updatedAt.getTime()) throw new PreconditionFailedError();
}

/** The `updatedAt` after a change: now, but always later than before, so that every version is unique. */
export function nextVersion(now: Date, { updatedAt }: { readonly updatedAt: Date }): Date {
  return now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}
