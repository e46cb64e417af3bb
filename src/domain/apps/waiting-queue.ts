import {
  ValidationError,
  type ListFilter,
  type ListOptions,
  type ListPage,
  type ListQuery,
  type Clock,
} from '../../core/index.js';
import type { Database, Lists } from '../../database/index.js';
import { userRecord } from '../accounts/index.js';
import type { PlanFacts } from '../catalog/index.js';
import type { AppOwner } from './app/app-directory.js';
import type { AppReader } from './app/app-reader.js';
import { appRecord, type AppRecord } from './app/app.js';
import { productsOf, type AppProduct } from './credential/credential-read-model.js';
import { credentialRecord, type CredentialRecord } from './credential/credential.js';
import {
  countWaiting,
  selectWaitingPage,
  WAITING_KINDS,
  type WaitingKind,
  type WaitingPosition,
  type WaitingTerms,
} from './waiting-decisions.js';

type Direction = 'ASC' | 'DESC';

const LONGEST = 200;
const LATEST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Where the next page goes on; opaque to clients, but not secret: it only repeats what they have seen. */
function encodeWaitingCursor({ since, kind, subjectId, partId }: WaitingPosition, direction: Direction): string {
  return Buffer.from(JSON.stringify(['waiting', direction, since.getTime(), kind, subjectId, partId])).toString(
    'base64url',
  );
}

/** @throws ValidationError on `cursor` unless {@link encodeWaitingCursor} made it for this direction */
function decodeWaitingCursor(cursor: string, direction: Direction): WaitingPosition {
  const parts = cursor.length <= LONGEST ? parse(cursor) : null;
  if (Array.isArray(parts) && parts.length === 6) {
    const [list, way, since, kind, subjectId, partId] = parts as unknown[];
    const isOurs = list === 'waiting' && way === direction && WAITING_KINDS.includes(kind as WaitingKind);
    if (isOurs && isNumber(since) && since <= LATEST_DATE && isNumber(subjectId) && isNumber(partId)) {
      return { since: new Date(since), kind: kind as WaitingKind, subjectId, partId };
    }
  }
  throw new ValidationError({
    cursor: ['The cursor does not belong to this list and order. Start again without one.'],
  });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** What admins may ask of the queue. */
export const waitingOptions: ListOptions = {
  sorts: ['waiting_since'],
  filters: { kind: 'string' },
  relations: [],
  searchable: false,
};

/** A pending decision with what an admin needs to know of it. */
export interface WaitingEntry {
  readonly kind: WaitingKind;
  readonly since: Date;
  readonly developer: AppOwner;
  /** null for a developer. */
  readonly app: Pick<AppRecord, 'id' | 'name' | 'displayName' | 'description'> | null;
  /** null for a developer and for an app. */
  readonly credential: Pick<CredentialRecord, 'id' | 'keyHint'> | null;
  /** Those of the app or key; of a product on a key, or of its plan, only that one. */
  readonly products: readonly AppProduct[];
  /** The plan that is asked for, of a product on a key. */
  readonly plan: PlanFacts | null;
}

interface QueueParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly clock: Clock;
  readonly reader: AppReader;
  readonly verifyEmail: boolean;
}

/** Everything that waits for a decision of an admin, as one list. */
export class WaitingQueue {
  constructor(private readonly parts: QueueParts) {}

  /**
   * Oldest first, or by `waiting_since` in the direction of the query.
   * @param allowed what the admin may see; other kinds are left out
   * @throws ValidationError naming `filters` or `cursor`
   */
  async list(query: ListQuery, allowed: readonly WaitingKind[]): Promise<ListPage<WaitingEntry>> {
    const { database, clock, verifyEmail } = this.parts;
    const { perPage, cursor } = query;
    const wanted = chooseKinds(query.filters);
    const kinds = allowed.filter((kind) => wanted.has(kind));
    const direction = query.orderBy === undefined ? 'ASC' : query.direction;
    const after = cursor === undefined ? null : decodeWaitingCursor(cursor, direction);
    const page = after ? null : query.page;
    if (kinds.length === 0) return { items: [], total: after ? null : 0, perPage, page, nextCursor: null };
    const terms = { now: clock.now(), verifyEmail };
    const offset = after ? 0 : (query.page - 1) * perPage;
    const { sql, values } = selectWaitingPage(terms, { kinds, direction, after, offset, limit: perPage + 1 });
    const rows = await database.select<WaitingPosition>(sql, values, { decode: { since: 'date' } });
    const shown = rows.slice(0, perPage);
    const last = rows.length > perPage ? shown.at(-1) : undefined;
    return {
      items: await this.describe(shown),
      total: after ? null : last || shown.length === 0 ? await this.countAll(kinds, terms) : offset + shown.length,
      ...{ perPage, page },
      nextCursor: last ? encodeWaitingCursor(last, direction) : null,
    };
  }

  /** How many decisions of each kind are pending. */
  async count(): Promise<Readonly<Record<WaitingKind, number>>> {
    const { clock, verifyEmail } = this.parts;
    return this.countKinds(WAITING_KINDS, { now: clock.now(), verifyEmail });
  }

  private countAll(kinds: readonly WaitingKind[], terms: WaitingTerms): Promise<number> {
    return this.parts.lists.count(`waiting ${kinds.join()}`, async () => {
      const counts = await this.countKinds(kinds, terms);
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    });
  }

  private async countKinds(kinds: readonly WaitingKind[], terms: WaitingTerms): Promise<Record<WaitingKind, number>> {
    const { sql, values } = countWaiting(terms, kinds);
    const rows = await this.parts.database.select<{ kind: WaitingKind; count: number }>(sql, values);
    const counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]));
    return { developer: 0, app: 0, key: 0, product: 0, plan: 0, ...counts };
  }

  // What was decided since the page was read is left out.
  private async describe(rows: readonly WaitingPosition[]): Promise<WaitingEntry[]> {
    const { database, reader } = this.parts;
    const ids = (...kinds: WaitingKind[]) =>
      rows.flatMap(({ kind, subjectId }) => (kinds.includes(kind) ? [subjectId] : []));
    const [ofApps, keys] = await Promise.all([
      reader.credentialsOf(ids('app')),
      credentialRecord.findAll(database, { id: [...new Set(ids('key', 'product', 'plan'))] }),
    ]);
    const credentials = new Map(keys.map((key) => [key.id, key]));
    const appIds = [...new Set([...ids('app'), ...keys.map(({ appId }) => appId)])];
    const [apps, grants] = await Promise.all([
      appRecord.findAll(database, { id: appIds }),
      reader.grantsOf([...new Set([...ofApps, ...keys].map(({ id }) => id))]),
    ]);
    const appOf = new Map(apps.map((app) => [app.id, app]));
    const userIds = [...new Set([...ids('developer'), ...apps.map(({ userId }) => userId)])];
    const users = await userRecord.findAll(database, { id: userIds });
    const userOf = new Map(users.map((user) => [user.id, user]));
    return rows.flatMap((row): WaitingEntry[] => {
      const { kind, subjectId, partId, since } = row;
      const credential = kind === 'app' || kind === 'developer' ? undefined : credentials.get(subjectId);
      const app = appOf.get(kind === 'app' ? subjectId : (credential?.appId ?? 0));
      const developer = userOf.get(kind === 'developer' ? subjectId : (app?.userId ?? 0));
      if (!developer || (kind !== 'developer' && !app)) return [];
      const own = grants.filter(({ credentialId, productId }) => {
        if (kind === 'app') return ofApps.some(({ id, appId }) => id === credentialId && appId === subjectId);
        return credentialId === credential?.id && (kind === 'key' || productId === partId);
      });
      const isOne = kind === 'product' || kind === 'plan';
      const [grant] = isOne ? own : [];
      if (isOne && !grant) return [];
      const plan = (kind === 'plan' ? grant?.nextPlan : grant?.plan) ?? null;
      const about = { app: app ?? null, credential: credential ?? null };
      return [{ kind, since, developer, ...about, products: productsOf(own), plan }];
    });
  }
}

function chooseKinds(filters: readonly ListFilter[]): ReadonlySet<WaitingKind> {
  let kinds: readonly WaitingKind[] = WAITING_KINDS;
  for (const { operator, value } of filters) {
    const named = Array.isArray(value) ? (value as readonly string[]) : [value as string];
    if (operator === 'ne') kinds = kinds.filter((kind) => !named.includes(kind));
    else if (operator === 'eq' || operator === 'in') kinds = kinds.filter((kind) => named.includes(kind));
    else throw new ValidationError({ filters: ['filters.kind takes the operators eq, ne, in.'] });
  }
  return new Set(kinds);
}
