import type { TableVersions } from '../../../database/index.js';
import type { Clock, ListPage } from '../../../core/index.js';

/** What a view is made of. Whoever changes one of them touches its version in the same transaction. */
const SHOWN_TABLES = ['portal_categories', 'portal_products'];
/**
 * For changes that nobody announced: rows written by hand, a restored backup. Together with the age that a large total may
 * have when a page is read, no more than the 30 s that clients are told.
 */
const KEEP_MS = 5_000;
/** Of all views together; about as many bytes of memory, twice that outside Latin-1, and again for the answers made of them. */
const MOST_CHARACTERS = 8_000_000;
/** One view may not push out most of the others. */
const MOST_CHARACTERS_OF_VIEW = MOST_CHARACTERS / 16;
/** What a record weighs beside the two columns that can hold far more than this. */
const RECORD_CHARACTERS = 2_000;

/** The columns of a record that may be large. */
interface Described {
  readonly description: string;
  readonly customAttributes?: Readonly<Record<string, unknown>>;
}

interface CachedView<View> {
  readonly view: View;
  readonly version: number;
  readonly readAt: number;
  readonly characters: number;
}

/**
 * Pages and records of the catalog as everybody sees them, kept in this process until the catalog changes: the version is
 * asked of the database each time, so a view is never older than the question, on whichever replica the change was made.
 * Until then everybody gets the same object. The least recently used go first.
 */
export class PublicCache<View extends Described | ListPage<Described>> {
  private readonly views = new Map<string, CachedView<View>>();
  private characters = 0;

  constructor(
    private readonly versions: Pick<TableVersions, 'current'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param asked all that the view depends on beside the catalog, as JSON
   * @param read reads the view when none is kept that is good; what it throws is not kept
   */
  async get(asked: unknown, read: () => Promise<View>): Promise<View> {
    // Before the view: what is read afterwards is at least as new.
    const version = await this.versions.current(SHOWN_TABLES);
    const key = JSON.stringify(asked);
    const now = this.clock.now().getTime();
    const kept = this.take(key);
    // By distance: a clock that was set back must not keep a view for ever (R29).
    if (kept?.version === version && Math.abs(now - kept.readAt) < KEEP_MS) {
      this.keep(key, kept);
      return kept.view;
    }
    const view = await read();
    this.keep(key, { view, version, readAt: now, characters: key.length + weightOf(view) });
    return view;
  }

  // Out of the map, so that keeping it again makes it the most recently used.
  private take(key: string): CachedView<View> | undefined {
    const kept = this.views.get(key);
    if (!kept) return undefined;
    this.views.delete(key);
    this.characters -= kept.characters;
    return kept;
  }

  private keep(key: string, kept: CachedView<View>): void {
    if (kept.characters > MOST_CHARACTERS_OF_VIEW) return;
    // Another request may have read the same view meanwhile.
    this.take(key);
    this.views.set(key, kept);
    this.characters += kept.characters;
    for (const oldest of this.views.keys()) {
      if (this.characters <= MOST_CHARACTERS) return;
      this.take(oldest);
    }
  }
}

function weightOf(view: Described | ListPage<Described>): number {
  const records = 'items' in view ? view.items : [view];
  return records.reduce(
    (sum, { description, customAttributes }) =>
      sum + RECORD_CHARACTERS + description.length + JSON.stringify(customAttributes ?? {}).length,
    RECORD_CHARACTERS,
  );
}
