const MOST_PAGES = 500;
/** Of all pages together. */
const MOST_BYTES = 8_000_000;
/** One page may not push out most of the others. */
const MOST_BYTES_OF_PAGE = MOST_BYTES / 16;
/** Values are compared so far down; below that, only what is the very same is equal. */
const DEPTH = 6;

interface CachedPage {
  readonly values: object;
  readonly html: Buffer;
}

/**
 * Finished pages, each with the values that it was made of. What is written from the same values is the same page, so it is
 * not written again: values are read anew for every request, and any change of them shows at once. The least recently used
 * go first. Only for pages that hold nothing of a single reader.
 */
export class PageCache {
  private readonly pages = new Map<string, CachedPage>();
  private bytes = 0;

  /** @returns the page of this key, if it was made of equal values */
  find(key: string, values: object): Buffer | null {
    const kept = this.pages.get(key);
    if (!kept || !isEqual(kept.values, values, DEPTH)) return null;
    // Out and in again: the most recently used is the last.
    this.pages.delete(key);
    this.pages.set(key, kept);
    return kept.html;
  }

  keep(key: string, values: object, html: Buffer): void {
    if (html.length > MOST_BYTES_OF_PAGE) return;
    this.drop(key);
    this.pages.set(key, { values, html });
    this.bytes += html.length;
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES && this.bytes <= MOST_BYTES) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const kept = this.pages.get(key);
    if (!kept) return;
    this.pages.delete(key);
    this.bytes -= kept.html.length;
  }
}

/** Of plain values: what is of a class of its own, but for dates, is equal to itself alone. */
function isEqual(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth === 0) return false;
  const kind: unknown = Object.getPrototypeOf(a);
  if (kind !== Object.getPrototypeOf(b)) return false;
  if (kind === Date.prototype) return (a as Date).getTime() === (b as Date).getTime();
  if (kind !== Object.prototype && kind !== Array.prototype) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], depth - 1));
}
