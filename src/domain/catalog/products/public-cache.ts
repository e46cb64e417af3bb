import type { TableVersions } from '../../../database/index.js';
import { isForAgents } from '../visibility.js';
import { BoundedCache, type Clock, type ListPage } from '../../../core/index.js';

/** Tables that a view depends on. Every change of one bumps its version in the same transaction. */
const SHOWN_TABLES = ['portal_categories', 'portal_products'];
/**
 * Covers unannounced changes: rows edited by hand, a restored backup. Together with the permitted age of a large total
 * it stays within the 30 s that clients are told.
 */
const KEEP_MS = 5_000;
/**
 * For all views together; about as many bytes of memory, twice that outside Latin-1, and again for the responses built
 * from them.
 */
const MOST_CHARACTERS = 8_000_000;
/** One view must not evict most of the others. */
const MOST_CHARACTERS_OF_VIEW = MOST_CHARACTERS / 16;
/** Estimated size of a record apart from the two columns that can be far larger. */
const RECORD_CHARACTERS = 2_000;

/** The potentially large columns of a record. */
interface Described {
  readonly description: string;
  readonly customAttributes?: Readonly<Record<string, unknown>>;
}

/**
 * Public pages and records of the catalog, cached in this process until the catalog changes: the version is read from
 * the database each time, so a view is never stale, whichever replica made the change. Until then all callers share the
 * same object.
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
   * @param request everything besides the catalog that the view depends on, as JSON
   * @param read loads the view when no valid one is cached; if it throws, nothing is cached
   */
  async get(request: unknown, read: () => Promise<View>): Promise<View> {
    // Before the view: what is read afterwards is at least as new.
    const version = await this.versions.current(SHOWN_TABLES);
    return this.views.read(JSON.stringify([isForAgents(), request]), read, version);
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
