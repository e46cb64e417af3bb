import { isDeepStrictEqual } from 'node:util';

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
