import type { TableVersions } from '../../../database/index.js';
import { BoundedCache, type Clock, type ListPage } from '../../../core/index.js';

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

/**
 * Pages and records of the catalog as everybody sees them, kept in this process until the catalog changes: the version is
 * asked of the database each time, so a view is never older than the question, on whichever replica the change was made.
 * Until then everybody gets the same object.
 */
export class PublicCache<View extends Described | ListPage<Described>> {
  private readonly views: BoundedCache<View>;

  constructor(
    private readonly versions: Pick<TableVersions, 'current'>,
    clock: Clock,
  ) {
    this.views = new BoundedCache({
      ...{ size: MOST_CHARACTERS, largest: MOST_CHARACTERS_OF_VIEW, age: { ms: KEEP_MS, clock } },
      sizeOf: (view, key) => key.length + weightOf(view),
    });
  }

  /**
   * @param asked all that the view depends on beside the catalog, as JSON
   * @param read reads the view when none is kept that is good; what it throws is not kept
   */
  async get(asked: unknown, read: () => Promise<View>): Promise<View> {
    // Before the view: what is read afterwards is at least as new.
    const version = await this.versions.current(SHOWN_TABLES);
    return this.views.read(JSON.stringify(asked), read, version);
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
