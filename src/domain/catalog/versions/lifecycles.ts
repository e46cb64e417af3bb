import type { Clock } from '../../../core/index.js';
import type { Database, TableVersions } from '../../../database/index.js';
import { productRecord } from '../products/product.js';
import { CATALOG_TABLES } from '../products/product-list.js';
import { deprecationRecord, isClosed, type Deprecation } from './deprecation.js';
import { pathMatcher, segmentsOf, type PathMatcher } from './operation-path.js';

/** Why a call is refused whose key opens. */
export type LifecycleRefusal = 'product_retired' | 'version_retired' | 'operation_retired' | 'brownout';

/** What is to be told to a call of a part that ends. */
export interface Lifecycle {
  readonly deprecationIds: readonly number[];
  readonly refusal: LifecycleRefusal | null;
  /** Seconds; null unless a brownout refuses. */
  readonly retryAfter: number | null;
  /** `Deprecation`, `Sunset` and `Link`; empty for one that is not announced. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A call, as much of it as the proxy reports. */
export interface LifecycleCall {
  /** Name of the version; null: not told. */
  readonly version: string | null;
  /** null: not told. */
  readonly method: string | null;
  /** Path and query. */
  readonly uri: string;
}

interface LifecyclesParts {
  readonly database: Database;
  readonly versions: Pick<TableVersions, 'current'>;
  readonly clock: Clock;
  /** Address of the page of a product. */
  readonly productPage: (slug: string) => string;
}

interface Compiled {
  readonly deprecation: Deprecation;
  readonly matches: PathMatcher | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Times in milliseconds. */
  readonly brownouts: readonly { readonly from: number; readonly to: number }[];
}

interface Snapshot {
  readonly endings: Endings;
  /** Of the tables that it was read from. */
  readonly version: number;
  /** When it was last known to be true, in milliseconds. */
  readonly since: number;
}

/** How soon what an admin changed is in force. */
const SNAPSHOT_MS = 1_000;
/** From this age on it is asked for anew while calls are answered from memory, so that none of many waits. */
const AHEAD_MS = 500;
/** Keeps what a process has in memory small; no portal ends as much at once. */
const MOST = 5_000;
const SOONEST_SMALLEST_FIRST = `CASE WHEN dp.sunset_at IS NULL THEN 1 ELSE 0 END, dp.sunset_at,
  CASE WHEN dp.method IS NULL THEN 1 ELSE 0 END, CASE WHEN dp.version IS NULL THEN 1 ELSE 0 END, dp.id`;

/**
 * What of all products ends, as the verify endpoint needs it: kept in memory and compiled. While calls come, the database is
 * asked whether something changed at most twice in a second, and read anew only then.
 */
export class Lifecycles {
  private snapshot: Snapshot | null = null;
  private checking: { readonly since: number; readonly done: Promise<Snapshot> } | null = null;

  constructor(private readonly parts: LifecyclesParts) {}

  /** What is known now, at most a second old. @throws DatabaseUnavailableError */
  async read(): Promise<Endings> {
    const now = this.parts.clock.now().getTime();
    const { snapshot } = this;
    // Absolute difference: a clock that was set back must not keep it indefinitely.
    const age = snapshot ? Math.abs(now - snapshot.since) : Infinity;
    if (snapshot && age < AHEAD_MS) return snapshot.endings;
    const checked = this.check(now);
    if (!snapshot || age >= SNAPSHOT_MS) return (await checked).endings;
    checked.catch(() => undefined);
    return snapshot.endings;
  }

  private check(now: number): Promise<Snapshot> {
    if (this.checking && Math.abs(now - this.checking.since) < SNAPSHOT_MS) return this.checking.done;
    const checking = { since: now, done: this.readAt(now) };
    this.checking = checking;
    // Of two at once the one that began later counts.
    const end = (snapshot: Snapshot | null) => {
      if (this.checking !== checking) return;
      this.checking = null;
      this.snapshot = snapshot ?? this.snapshot;
    };
    checking.done.then(end, () => end(null));
    return checking.done;
  }

  private async readAt(since: number): Promise<Snapshot> {
    // Before the rows, which are then at least as new.
    const version = await this.parts.versions.current(CATALOG_TABLES);
    const before = this.snapshot;
    const endings = before?.version === version ? before.endings : await this.compile();
    return { endings, version, since };
  }

  private async compile(): Promise<Endings> {
    const { database, productPage, clock } = this.parts;
    const live = await deprecationRecord.findAll(database, {}, { order: SOONEST_SMALLEST_FIRST, limit: MOST });
    const ids = [...new Set(live.map(({ productId }) => productId))];
    const products = await productRecord.findAll(database, { id: ids }, { only: ['id', 'slug'] });
    const slugs = new Map(products.map(({ id, slug }) => [id, slug]));
    const bySlug = new Map<string, Compiled[]>();
    for (const deprecation of live) {
      const slug = slugs.get(deprecation.productId) ?? '';
      const others = bySlug.get(slug) ?? [];
      others.push(compile(deprecation, productPage(slug)));
      bySlug.set(slug, others);
    }
    return new Endings(bySlug, clock);
  }
}

/**
 * What ends of all products, by slug. Whether a sunset has come is asked of the clock with each call, so that it closes in the
 * same moment everywhere.
 */
export class Endings {
  constructor(
    private readonly bySlug: ReadonlyMap<string, readonly Compiled[]>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param product slug
   * @returns null where nothing ends; drafts count only for `deprecationIds`
   */
  of(product: string, call: LifecycleCall): Lifecycle | null {
    const known = this.bySlug.get(product);
    return known ? lifecycleOf(known, call, this.clock.now()) : null;
  }

  /** Those of the products whose part that was called is open. @param except is known to be */
  open(products: readonly string[], call: LifecycleCall, except: string | undefined): readonly string[] {
    const isOpen = (product: string) => product === except || this.of(product, call)?.refusal == null;
    return this.bySlug.size === 0 || products.every(isOpen) ? products : products.filter(isOpen);
  }
}

function lifecycleOf(known: readonly Compiled[], call: LifecycleCall, now: Date): Lifecycle | null {
  const segments = known.some(({ matches }) => matches !== null) ? segmentsOf(call.uri) : null;
  const hit = known.filter((compiled) => isHit(compiled, call, segments));
  if (hit.length === 0) return null;
  const announced = hit.filter(({ deprecation: { state } }) => state !== 'draft');
  const closed = announced.find(({ deprecation }) => isClosed(deprecation, now));
  const browned = closed ? undefined : brownoutOf(announced, now.getTime());
  return {
    deprecationIds: hit.map(({ deprecation }) => deprecation.id),
    refusal: closed ? refusalOf(closed.deprecation) : browned === undefined ? null : 'brownout',
    retryAfter: browned ?? null,
    headers: (closed ?? announced[0])?.headers ?? NO_HEADERS,
  };
}

const NO_HEADERS = {};

function isHit(
  { deprecation, matches }: Compiled,
  { version, method }: LifecycleCall,
  segments: readonly string[] | null,
) {
  if (deprecation.version !== null && deprecation.version !== version) return false;
  if (!matches) return true;
  // Whoever answers GET mostly answers HEAD by the same code.
  const asked = method === 'HEAD' && deprecation.method === 'GET' ? 'GET' : method;
  return segments !== null && asked === deprecation.method && matches(segments);
}

/** Seconds until the end of the brownout of now; undefined without one. */
function brownoutOf(announced: readonly Compiled[], now: number): number | undefined {
  for (const { brownouts } of announced) {
    const found = brownouts.find(({ from, to }) => from <= now && now < to);
    if (found) return Math.ceil((found.to - now) / 1_000);
  }
  return undefined;
}

function refusalOf({ method, version }: Deprecation): LifecycleRefusal {
  if (method !== null) return 'operation_retired';
  return version === null ? 'product_retired' : 'version_retired';
}

function compile(deprecation: Deprecation, page: string): Compiled {
  const { method, path, basePath, exceptions, brownouts } = deprecation;
  const isIt = path === null || method === null ? null : pathMatcher(path, basePath);
  const others = exceptions.map((exception) => pathMatcher(exception, basePath));
  return {
    deprecation,
    matches: isIt && ((segments) => isIt(segments) && !others.some((isOther) => isOther(segments))),
    headers: headersOf(deprecation, page),
    brownouts: brownouts.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
  };
}

/** RFC 9745 and RFC 8594, with the links that they register. */
function headersOf({ deprecatedAt, sunsetAt, guideUrl, replacementUrl }: Deprecation, page: string) {
  const guide = guideUrl ?? page;
  const links = [
    `<${guide}>; rel="deprecation"; type="text/html"`,
    ...(sunsetAt ? [`<${guide}>; rel="sunset"; type="text/html"`] : []),
    ...(replacementUrl === null ? [] : [`<${replacementUrl}>; rel="successor-version"`]),
  ];
  return {
    Deprecation: `@${Math.floor(deprecatedAt.getTime() / 1_000)}`,
    ...(sunsetAt && { Sunset: sunsetAt.toUTCString() }),
    Link: links.join(', '),
  };
}
