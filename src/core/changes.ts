import { isDeepStrictEqual } from 'node:util';
import { PreconditionFailedError } from './errors.js';

/** Changes to a record: field → before and after. Never contains a password, a token or a key. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** The fields of `after` that differ from `before`; null for none. Undefined fields were not part of the change. */
export function changesOf<T extends object>(
  before: T,
  after: { readonly [K in keyof T]?: T[K] | undefined },
): Changes | null {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const [field, value] of Object.entries(after)) {
    const old = before[field as keyof T];
    if (value !== undefined && !isEqual(old, value)) changes[field] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : null;
}

// Also compares as JSON: objects that a parser made without a prototype are otherwise unequal.
function isEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || JSON.stringify(a) === JSON.stringify(b);
}

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
