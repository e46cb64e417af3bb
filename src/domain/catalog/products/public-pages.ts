import type { TableVersions } from '../../../database/index.js';
import type { Clock, ListQuery, Page } from '../../../kernel/index.js';

/** What a public page is made of. Whoever changes one of them touches its version in the same transaction. */
const SHOWN_TABLES = ['portal_categories', 'portal_products'];
/**
 * For changes that nobody announced: rows written by hand, a restored backup. Together with the age that a large total may
 * have when the page is read, no more than the 30 s that clients are told.
 */
const KEEP_MS = 5_000;
/** Of all pages together; about as many bytes of memory, twice that outside Latin-1. */
const MOST_CHARACTERS = 16_000_000;
/** One page may not push out most of the others. */
const MOST_CHARACTERS_OF_PAGE = MOST_CHARACTERS / 16;
/** What a record weighs beside the two columns that can hold far more than this. */
const RECORD_CHARACTERS = 2_000;

/** The columns of a record that may be large. */
interface Described {
  readonly description: string;
  readonly customAttributes?: Readonly<Record<string, unknown>>;
}

interface KeptPage<T> {
  readonly page: Page<T>;
  readonly version: number;
  readonly readAt: number;
  readonly characters: number;
}

/**
 * Pages of the catalog as everybody sees them, kept in this process until the catalog changes: the version is asked of the
 * database each time, so a page is never older than the question, on whichever replica the change was made. The least
 * recently used go first.
 */
export class PublicPages<T extends Described> {
  private readonly pages = new Map<string, KeptPage<T>>();
  private characters = 0;

  constructor(
    private readonly versions: Pick<TableVersions, 'current'>,
    private readonly clock: Clock,
  ) {}

  /** @param read reads the page when none is kept that is good */
  async get(query: ListQuery, locale: string, read: () => Promise<Page<T>>): Promise<Page<T>> {
    // Before the page: what is read afterwards is at least as new.
    const version = await this.versions.current(SHOWN_TABLES);
    const key = JSON.stringify([locale, query]);
    const now = this.clock.now().getTime();
    const kept = this.take(key);
    // By distance: a clock that was set back must not keep a page for ever (R29).
    if (kept?.version === version && Math.abs(now - kept.readAt) < KEEP_MS) {
      this.keep(key, kept);
      return kept.page;
    }
    const page = await read();
    this.keep(key, { page, version, readAt: now, characters: key.length + weightOf(page) });
    return page;
  }

  // Out of the map, so that keeping it again makes it the most recently used.
  private take(key: string): KeptPage<T> | undefined {
    const kept = this.pages.get(key);
    if (!kept) return undefined;
    this.pages.delete(key);
    this.characters -= kept.characters;
    return kept;
  }

  private keep(key: string, kept: KeptPage<T>): void {
    if (kept.characters > MOST_CHARACTERS_OF_PAGE) return;
    // Another request may have read the same page meanwhile.
    this.take(key);
    this.pages.set(key, kept);
    this.characters += kept.characters;
    for (const oldest of this.pages.keys()) {
      if (this.characters <= MOST_CHARACTERS) return;
      this.take(oldest);
    }
  }
}

function weightOf({ items }: Page<Described>): number {
  return items.reduce(
    (sum, { description, customAttributes }) =>
      sum + RECORD_CHARACTERS + description.length + JSON.stringify(customAttributes ?? {}).length,
    RECORD_CHARACTERS,
  );
}
