import { isDeepStrictEqual } from 'node:util';

/** What a change did to a record: field → before and after. Never holds a password, a token or a key. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** The fields of `after` that differ from `before`; null when none does. What is undefined was not asked to change. */
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

// As JSON too: what a parser made without a prototype is equal all the same.
function isEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || JSON.stringify(a) === JSON.stringify(b);
}
