import type { ApigeeCalls, Query } from './apigee-calls.js';
import type { ApigeePlace } from './place.js';
import { itemsOf, nextTokenOf } from './records.js';

export interface ApigeeList<T> {
  readonly place: ApigeePlace;
  /** Property that holds the records. */
  readonly property: 'developer' | 'app' | 'apiProduct' | 'appGroupApps' | 'appGroups' | 'company';
  readonly read: (value: unknown) => T;
  /** The cursor of an item. */
  readonly keyOf: (item: T) => string;
  /** Maximum items per page. */
  readonly size: number;
}

/**
 * One page of records. Apigee's cursors are inclusive: a page starts with the last item of the page before. An Edge
 * organization without CPS ignores cursor and size, and sends everything.
 */
export async function page<T>(
  calls: ApigeeCalls,
  { place, property, read, keyOf, size }: ApigeeList<T>,
  after: string | null,
): Promise<{ readonly items: readonly T[]; readonly next: string | null }> {
  const query = { expand: true, count: size, startKey: after };
  const all = await calls.get(place, (body) => itemsOf(body, property).map(read), query);
  const items = after === null ? all : all.slice(all.findIndex((item) => keyOf(item) === after) + 1);
  const last = items.at(-1);
  const isLast = all.length !== size || last === undefined;
  return { items, next: isLast ? null : keyOf(last) };
}

/** All pages. @param begin gives each page its own time budget */
export async function readAllPages<T>(begin: () => ApigeeCalls, list: ApigeeList<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let after: string | null = null; ;) {
    const { items, next }: { items: readonly T[]; next: string | null } = await page(begin(), list, after);
    found.push(...items);
    if (next === null) return found;
    after = next;
  }
}

/** One page of a list of X that tells where its next page begins, as lists of app groups do. */
export function tokenPage<T>(
  calls: ApigeeCalls,
  { place, property, read, size }: ApigeeList<T>,
  after: string | null,
): Promise<{ readonly items: readonly T[]; readonly next: string | null }> {
  // Without a size no next page is told.
  const query: Query = { pageSize: size, pageToken: after };
  return calls.get(place, (body) => ({ items: itemsOf(body, property).map(read), next: nextTokenOf(body) }), query);
}

/** All pages of one. */
export async function readTokenPages<T>(begin: () => ApigeeCalls, list: ApigeeList<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let after: string | null = null; ;) {
    const { items, next }: { items: readonly T[]; next: string | null } = await tokenPage(begin(), list, after);
    found.push(...items);
    if (next === null) return found;
    after = next;
  }
}
