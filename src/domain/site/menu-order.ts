import { ConflictError, ValidationError } from '../../core/index.js';

/** Maximum depth of a menu. */
const DEEPEST = 5;
const MOST_ITEMS = 200;

/** Position of an item. */
export interface Placed {
  readonly id: number;
  readonly parentId: number | null;
  readonly position: number;
}

/**
 * Moves an item to a position among the items of a parent; the others shift, and positions stay without gaps.
 * @param items all items of the menu, the moved one included
 * @param position last if omitted or larger
 * @returns the items whose position changed
 * @throws ValidationError on `parent_id` for a missing parent, a cycle, or more than {@link DEEPEST} levels
 */
export function place(
  items: readonly Placed[],
  id: number,
  parentId: number | null,
  position: number = Number.MAX_SAFE_INTEGER,
): Placed[] {
  requireParent(items, id, parentId);
  const others = items.filter((item) => item.id !== id);
  const siblings = childrenOf(others, parentId);
  siblings.splice(position, 0, { id, parentId, position });
  const left = items.find((item) => item.id === id)?.parentId ?? null;
  const remaining = left === parentId ? [] : childrenOf(others, left);
  return findMoved(items, [...number(siblings), ...number(remaining)]);
}

/** The items that move up to fill gaps. @param items those that remain */
export function closeGaps(items: readonly Placed[], parentId: number | null): Placed[] {
  return findMoved(items, number(childrenOf(items, parentId)));
}

/** An item with everything below it, deepest last. */
export function subtree<T extends Placed>(items: readonly T[], item: T): T[] {
  return [item, ...childrenOf(items, item.id).flatMap((child) => subtree(items, child))];
}

/** @throws ConflictError */
export function requireRoom(items: readonly Placed[]): void {
  if (items.length < MOST_ITEMS) return;
  throw new ConflictError({ errors: { items: [`A menu has at most ${MOST_ITEMS} items.`] } });
}

function requireParent(items: readonly Placed[], id: number, parentId: number | null): void {
  if (parentId === null) return;
  const item = items.find((candidate) => candidate.id === id);
  const own = item ? subtree(items, item) : [];
  const parent = items.find((candidate) => candidate.id === parentId);
  if (!parent) throw new ValidationError({ parent_id: ['The menu has no such item.'] });
  if (own.includes(parent)) throw new ValidationError({ parent_id: ['An item cannot be below itself.'] });
  const height = Math.max(0, ...own.map((below) => level(items, below))) - (item ? level(items, item) : 0);
  if (level(items, parent) + 1 + height > DEEPEST) {
    throw new ValidationError({ parent_id: [`A menu has at most ${DEEPEST} levels.`] });
  }
}

/** 1 for an item without a parent. */
function level(items: readonly Placed[], { parentId }: Placed): number {
  const parent = items.find(({ id }) => id === parentId);
  return parent ? level(items, parent) + 1 : 1;
}

function childrenOf<T extends Placed>(items: readonly T[], parentId: number | null): T[] {
  return items.filter((item) => item.parentId === parentId).sort((a, b) => a.position - b.position || a.id - b.id);
}

function number(siblings: readonly Placed[]): Placed[] {
  return siblings.map(({ id, parentId }, position) => ({ id, parentId, position }));
}

function findMoved(before: readonly Placed[], after: readonly Placed[]): Placed[] {
  return after.filter(({ id, parentId, position }) => {
    const old = before.find((item) => item.id === id);
    return old?.parentId !== parentId || old.position !== position;
  });
}
