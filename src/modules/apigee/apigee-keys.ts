import { randomBytes } from 'node:crypto';
import {
  type AppAddress,
  GatewayConflictError,
  type GatewayKeys,
  GatewayRefusedError,
  type GatewayStatus,
  type IssuedKey,
  type KeyAddress,
  type KeyPair,
  type NewKey,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { withAttributes } from './marks.js';
import { type ApigeeOwnedApp, OwnApps } from './own-apps.js';
import { ApigeePlans } from './plans.js';
import { type ApigeePlace, places, requireProductName } from './place.js';
import { appOf, keyChange, keyOf, type KeyRecord } from './records.js';

/** 288 and 384 random bits. */
const KEY_BYTES = 36;
const SECRET_BYTES = 48;

/** Apigee addresses a key by its value, so the reference is the key itself. */
export class ApigeeKeys implements GatewayKeys {
  private readonly apps: OwnApps;
  private readonly plans: ApigeePlans;

  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
  ) {
    this.apps = new OwnApps(context, developers);
    this.plans = new ApigeePlans(context);
  }

  async issue(address: AppAddress, key: NewKey): Promise<IssuedKey> {
    const calls = this.context.begin();
    const owned = await this.apps.find(calls, address);
    // Edge sets no expiry on imported keys.
    const isGeneratedThere = this.context.platform === 'edge' && key.expiresAt !== null;
    const made = isGeneratedThere ? await this.generate(calls, owned, key) : await this.importKey(calls, owned, key);
    const { consumerKey, consumerSecret } = made;
    try {
      await this.finish(calls, owned, made, key);
    } catch (error) {
      await this.context
        .begin()
        .remove(keyPlace(owned, consumerKey))
        .catch(() => undefined);
      throw error;
    }
    return { keyRef: consumerKey, consumerKey, consumerSecret };
  }

  async reveal(address: KeyAddress): Promise<KeyPair> {
    const calls = this.context.begin();
    const { consumerKey, consumerSecret } = await calls.get(await this.place(calls, address), keyOf);
    return { consumerKey, consumerSecret };
  }

  async setStatus(address: KeyAddress, status: GatewayStatus): Promise<void> {
    const calls = this.context.begin();
    await calls.act(await this.place(calls, address), status === 'approved' ? 'approve' : 'revoke');
  }

  setExpiry(): Promise<void> {
    return Promise.reject(new GatewayRefusedError({ detail: 'the end of a key of Apigee cannot be moved' }));
  }

  lastUse(): Promise<ReadonlyMap<string, Date>> {
    return Promise.resolve(new Map());
  }

  async remove(address: KeyAddress): Promise<void> {
    const calls = this.context.begin();
    const place = await this.place(calls, address).catch(ignoreMissing);
    if (place) await calls.remove(place);
  }

  /** Puts the portal's mark, the plans and the products on a new key. */
  async finish(calls: ApigeeCalls, app: ApigeeOwnedApp, made: KeyRecord, key: NewKey): Promise<void> {
    await this.plans.write(calls, app, made.consumerKey, key.products);
    const place = keyPlace(app, made.consumerKey);
    const products = listApproved(key);
    // This call adds the products, but replaces the attributes.
    const attributes = withAttributes(made.attributes, this.context.marks.of(key.portalId));
    if (products.length === 0 && this.context.marks.isOn(made, key.portalId)) return;
    const body = keyChange(app.developerId, attributes, products);
    const present = await calls.post(place, body, { isRepeatable: true, read: keyOf });
    // Products with manual approval at Apigee are pending there, but the portal has already decided.
    for (const product of products) {
      if (present.products?.some((grant) => grant.product === product && grant.status === 'approved')) continue;
      const { developerId, name } = app;
      await calls.act(places.keyProduct(developerId, name, made.consumerKey, product), 'approve');
    }
  }

  /** @throws GatewayNotFoundError without its developer */
  private async place(calls: ApigeeCalls, { app, keyRef }: KeyAddress): Promise<ApigeePlace> {
    return places.key(await this.developers.locate(calls, app.developer), app.name, keyRef);
  }

  // The portal generates the key, so that a retry cannot create a second one.
  private async importKey(calls: ApigeeCalls, app: ApigeeOwnedApp, key: NewKey): Promise<KeyRecord> {
    const consumerKey = randomBytes(KEY_BYTES).toString('base64url');
    const consumerSecret = randomBytes(SECRET_BYTES).toString('base64url');
    const attributes = withAttributes([], this.context.marks.of(key.portalId));
    const lifetime = key.expiresAt && {
      expiresInSeconds: String(Math.max(1, Math.floor(this.lifetimeUntil(key.expiresAt) / 1000))),
    };
    const body = { consumerKey, consumerSecret, attributes, ...lifetime };
    const place = places.newKey(app.developerId, app.name);
    const recover = () => calls.find(keyPlace(app, consumerKey), keyOf);
    try {
      return await calls.post(place, body, { isRepeatable: true, read: keyOf, recover });
    } catch (error) {
      // The value is random: an earlier attempt must have succeeded.
      if (error instanceof GatewayConflictError) return calls.get(keyPlace(app, consumerKey), keyOf);
      throw error;
    }
  }

  // Replaces the app's attributes and callback, which are therefore sent along. Answers with the whole app.
  private async generate(calls: ApigeeCalls, app: ApigeeOwnedApp, key: NewKey): Promise<KeyRecord> {
    const { name, attributes, callbackUrl } = app.record;
    const before = new Set(app.record.keys.map(({ consumerKey }) => consumerKey));
    const newKey = (keys: readonly KeyRecord[]) => keys.find(({ consumerKey }) => !before.has(consumerKey));
    const place = places.app(app.developerId, app.name);
    const body = {
      ...{ name, attributes, apiProducts: listApproved(key) },
      ...(callbackUrl !== null && { callbackUrl }),
      ...(key.expiresAt && { keyExpiresIn: this.lifetimeUntil(key.expiresAt) }),
    };
    const made = await calls.post(place, body, {
      isRepeatable: false,
      read: (answer) => newKey(appOf(answer).keys),
      recover: async () => newKey((await calls.get(place, appOf)).keys),
    });
    if (made) return made;
    throw new GatewayRefusedError({ detail: 'Apigee answered without a new key' });
  }

  /** Milliseconds; Apigee rejects 0. */
  private lifetimeUntil(end: Date): number {
    return lifetimeOf(end, this.context.clock.now());
  }
}

/** Lifetime of a key in milliseconds. @throws GatewayRefusedError if `end` has passed */
export function lifetimeOf(end: Date, now: Date): number {
  const lifetime = end.getTime() - now.getTime();
  if (lifetime > 0) return lifetime;
  throw new GatewayRefusedError({ detail: 'the key would have ended before it began' });
}

/** A product that is not approved is not added to a key: Apigee would accept it until it is revoked. */
export function listApproved(key: NewKey): readonly string[] {
  return key.products.filter(({ status }) => status === 'approved').map(({ product }) => requireProductName(product));
}

function keyPlace(
  { developerId, name }: Pick<ApigeeOwnedApp, 'developerId' | 'name'>,
  consumerKey: string,
): ApigeePlace {
  return places.key(developerId, name, consumerKey);
}
