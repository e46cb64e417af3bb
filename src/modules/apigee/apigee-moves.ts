import {
  type AppAddress,
  type DeveloperAddress,
  GatewayConflictError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayUnavailableError,
  type MovedApp,
  type MoveJournal,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { ProductsRequiredError } from './apigee-fault.js';
import { readAttribute, withAttributes } from './marks.js';
import { type ApigeeOwnedApp, OwnApps } from './own-apps.js';
import { isAppGroup, places, requireProductName } from './place.js';
import { type ApigeeAppRecord, appOf, keyChange, keyOf, type KeyRecord } from './records.js';

type AppModel = Pick<ApigeeAppRecord, 'status' | 'callbackUrl' | 'attributes' | 'scopes'>;
type KeyModel = Omit<KeyRecord, 'issuedAt'>;

/** What the journal holds from before a key is deleted until it is there again. */
interface JournalEntry {
  readonly app: AppModel;
  readonly key: KeyModel;
}

/** Seconds to wait before a move that met a concurrent change is tried again. */
const LATER_S = 5;

/**
 * Gives apps another owner. Apigee has no call for that, and a key exists once in an organization: the app is made again with
 * the new owner, then key by key is deleted there and made here with the same value and secret, and at last the app of the old
 * owner goes. Each round reads anew what is where, so that any process can go on with what another one left.
 */
export class ApigeeMoves {
  private readonly own: OwnApps;

  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
  ) {
    this.own = new OwnApps(context, developers);
  }

  async move(app: AppAddress, to: DeveloperAddress, journal: MoveJournal): Promise<MovedApp> {
    const target = await this.prepare(app, to, journal);
    try {
      while (await this.moveNext(app, target, journal));
    } catch (error) {
      if (!(error instanceof GatewayNotFoundError)) throw error;
      // Not final: what was removed from one owner still has to be added to the other.
      const detail = `app ${app.name} or its new owner went away at Apigee while it moved`;
      throw new GatewayUnavailableError(LATER_S, { detail, cause: error });
    }
    return { appId: target.record.appId, keepsEnds: this.context.platform === 'x' };
  }

  /** The app at its new owner, with everything but keys. */
  private async prepare(app: AppAddress, to: DeveloperAddress, journal: MoveJournal): Promise<ApigeeOwnedApp> {
    const calls = this.context.begin();
    const found = await this.own.find(calls, app).catch(ignoreMissing);
    const source = found && !this.isUnfinished(found) ? found : undefined;
    const developerId = await this.developers.locate(calls, to);
    const known = await this.own.lookUp(calls, developerId, app);
    if (known && !this.isUnfinished(known)) return known;
    const model = source?.record ?? parseEntry(await journal.read())?.app;
    if (!model)
      throw new GatewayNotFoundError({ detail: `Apigee has no app ${app.name} of portal id ${app.portalId}` });
    if (source) requireMovable(source);
    const target = known ?? (await this.create(calls, developerId, app, source?.record.keys ?? [], model));
    // From here on there are two apps, so the move has to be finished.
    if (parseEntry(await journal.read()) === null) await journal.keep(null);
    await this.furnish(calls, target, app, model);
    return target;
  }

  // The mark identifies the key that Apigee generates itself, however late it is found.
  private async create(
    calls: ApigeeCalls,
    developerId: string,
    app: AppAddress,
    keys: readonly KeyModel[],
    { scopes }: AppModel,
  ): Promise<ApigeeOwnedApp> {
    const { marks } = this.context;
    const attributes = withAttributes([], { ...marks.of(app.portalId), [marks.moving]: 'true' });
    const post = (apiProducts: readonly string[]) =>
      calls.post(
        places.apps(developerId),
        { name: app.name, apiProducts, attributes, ...(scopes.length > 0 && { scopes }) },
        {
          isRepeatable: false,
          read: appOf,
          recover: async () => (await this.own.lookUp(calls, developerId, app))?.record,
        },
      );
    const record = await post([]).catch((error: unknown) => {
      // Some organizations allow no app without a product. Nobody sees the key that gets it.
      const [product] = keys.flatMap(({ products = [] }) => products);
      if (!(error instanceof ProductsRequiredError) || !product) throw error;
      return post([product.product]);
    });
    return { developerId, name: app.name, record };
  }

  // The mark goes last: until then, all keys of the app are Apigee's own.
  private async furnish(
    calls: ApigeeCalls,
    { developerId, name, record }: ApigeeOwnedApp,
    { portalId }: AppAddress,
    { status, attributes, callbackUrl }: AppModel,
  ): Promise<void> {
    const place = places.app(developerId, name);
    for (const { consumerKey } of record.keys) await calls.remove(places.key(developerId, name, consumerKey));
    if (status !== 'approved') await calls.act(place, 'revoke');
    const all = withAttributes(attributes, { ...this.context.marks.of(portalId), [this.context.marks.moving]: '' });
    await calls.put(place, { name, attributes: all, ...(callbackUrl !== null && { callbackUrl }) }, appOf);
  }

  /** @returns false once all keys are there, and the app of the old owner is gone */
  private async moveNext(app: AppAddress, target: ApigeeOwnedApp, journal: MoveJournal): Promise<boolean> {
    const calls = this.context.begin();
    const source = await this.own.find(calls, app).catch(ignoreMissing);
    // The keys of an app that was only just created are Apigee's own.
    const left = source && !this.isUnfinished(source) ? source.record.keys : [];
    const entry = parseEntry(await journal.read());
    // The journal is complete, whatever happened to the key on either side.
    const key = entry?.key ?? left[0];
    if (key) {
      if (source && !entry) {
        const { status, callbackUrl, attributes, scopes } = source.record;
        await journal.keep(
          JSON.stringify({ app: { status, callbackUrl, attributes, scopes }, key } satisfies JournalEntry),
        );
      }
      if (source && left.some(({ consumerKey }) => consumerKey === key.consumerKey)) {
        await calls.remove(places.key(source.developerId, source.name, key.consumerKey));
      }
      await this.put(this.context.begin(), target, key);
      await journal.keep(null);
      return true;
    }
    if (source) await calls.remove(places.app(source.developerId, source.name));
    return false;
  }

  // Products come as approved: the key is closed until each has the state that it had.
  private async put(calls: ApigeeCalls, { developerId, name }: ApigeeOwnedApp, key: KeyModel): Promise<void> {
    const { consumerKey, attributes, scopes, products = [], expiresAt } = key;
    const place = places.key(developerId, name, consumerKey);
    const made = await this.makeKey(calls, { developerId, name }, key);
    const isOver = expiresAt !== null && expiresAt <= this.context.clock.now();
    const isOpen = key.status === 'approved' && !isOver;
    const isSimple = products.every(({ status }) => status === 'approved');
    if (!isOpen || !isSimple) await calls.act(place, 'revoke');
    const isScoped = JSON.stringify(made.scopes) === JSON.stringify(scopes);
    if (!isScoped && !isAppGroup(developerId)) await calls.put(place, { scopes }, keyOf);
    const names = products.map(({ product }) => requireProductName(product));
    const body = keyChange(developerId, attributes, names.length > 0 ? names : undefined);
    const present = await calls.post(place, body, { isRepeatable: true, read: keyOf });
    for (const { product, status } of products) {
      const there = present.products?.find((granted) => granted.product === product)?.status;
      if (there === status) continue;
      const verb = status === 'approved' ? 'approve' : 'revoke';
      await calls.act(places.keyProduct(developerId, name, consumerKey, product), verb);
    }
    if (isOpen && !isSimple) await calls.act(place, 'approve');
  }

  private async makeKey(
    calls: ApigeeCalls,
    { developerId, name }: Pick<ApigeeOwnedApp, 'developerId' | 'name'>,
    { consumerKey, consumerSecret, attributes, scopes, expiresAt }: KeyModel,
  ): Promise<KeyRecord> {
    const seconds = expiresAt && Math.floor((expiresAt.getTime() - this.context.clock.now().getTime()) / 1000);
    // Edge sets no expiry on keys that were made elsewhere.
    const hasEnd = seconds !== null && seconds > 0 && this.context.platform === 'x';
    const body = {
      ...{ consumerKey, consumerSecret, attributes },
      ...(scopes.length > 0 && { scopes }),
      ...(hasEnd && { expiresInSeconds: String(seconds) }),
    };
    const find = () => calls.find(places.key(developerId, name, consumerKey), keyOf);
    const options = { isRepeatable: true, read: keyOf, recover: find };
    return calls.post(places.newKey(developerId, name), body, options).catch(async (error: unknown) => {
      if (!(error instanceof GatewayConflictError)) throw error;
      const found = await find();
      if (found) return found;
      // Apigee has not released the key yet, or somebody else has taken it.
      const detail = `Apigee has a key of app ${name} elsewhere`;
      throw new GatewayUnavailableError(LATER_S, { detail, cause: error });
    });
  }

  private isUnfinished({ record }: ApigeeOwnedApp): boolean {
    return readAttribute(record, this.context.marks.moving) !== null;
  }
}

/** @throws GatewayRefusedError for an app with something that could be deleted but not created again */
function requireMovable({ developerId, name, record }: ApigeeOwnedApp): void {
  for (const { consumerKey, consumerSecret, products = [] } of record.keys) {
    places.key(developerId, name, consumerKey);
    for (const { product } of products) places.keyProduct(developerId, name, consumerKey, product);
    if (!/^[A-Za-z0-9_-]+$/.test(consumerSecret)) {
      throw new GatewayRefusedError({ detail: `app ${name} has a key without a secret that Apigee would take` });
    }
  }
}

function parseEntry(text: string | null): JournalEntry | null {
  if (text === null) return null;
  const { app, key } = JSON.parse(text) as Omit<JournalEntry, 'key'> & {
    readonly key: Omit<KeyModel, 'expiresAt'> & { readonly expiresAt: string | null };
  };
  return { app, key: { ...key, expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt) } };
}
