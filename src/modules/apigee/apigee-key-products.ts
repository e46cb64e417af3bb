import {
  type GatewayKeyProducts,
  GatewayNotFoundError,
  type KeyAddress,
  type KeyProduct,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { places, requireProductName } from './place.js';
import { ApigeePlans } from './plans.js';
import { type ApigeeAppRecord, appOf, keyChange, keyOf, type KeyRecord } from './records.js';

interface Located {
  readonly developerId: string;
  readonly app: string;
  readonly key: string;
}

/**
 * Products on a key. A product that is not approved is not added: Apigee adds products as approved, so that the key would
 * work until it is revoked.
 */
export class ApigeeKeyProducts implements GatewayKeyProducts {
  private readonly plans: ApigeePlans;

  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
  ) {
    this.plans = new ApigeePlans(context);
  }

  async add(address: KeyAddress, granted: KeyProduct): Promise<void> {
    await this.put(address, { ...granted, plan: granted.plan ?? null });
  }

  async setStatus(address: KeyAddress, { product, status }: KeyProduct): Promise<void> {
    await this.put(address, { product, status });
  }

  async remove(address: KeyAddress, product: string): Promise<void> {
    const calls = this.context.begin();
    try {
      const { developerId, app, key } = await this.locate(calls, address);
      await calls.remove(places.keyProduct(developerId, app, key, product));
    } catch (error) {
      ignoreMissing(error);
    }
  }

  /** @param granted without a plan leaves the one that it has */
  private async put(address: KeyAddress, granted: KeyProduct): Promise<void> {
    const { product, status } = granted;
    const calls = this.context.begin();
    const at = await this.locate(calls, address);
    const { app, record } = await this.read(calls, at);
    // Before the product opens, so that no call passes without limits.
    await this.plans.write(calls, { developerId: at.developerId, name: at.app, record: app }, at.key, [granted]);
    const present = record.products?.find((grant) => grant.product === product);
    if (present?.status === status) return;
    const place = places.keyProduct(at.developerId, at.app, at.key, product);
    if (status !== 'approved') {
      if (present) await calls.act(place, 'revoke').catch(ignoreMissing);
      return;
    }
    if (!present) {
      // Adds the product, and replaces all attributes.
      const body = keyChange(at.developerId, record.attributes, [requireProductName(product)]);
      const added = await calls.post(places.key(at.developerId, at.app, at.key), body, {
        isRepeatable: true,
        read: keyOf,
      });
      if (added.products?.some((grant) => grant.product === product && grant.status === 'approved')) return;
    }
    await calls.act(place, 'approve');
  }

  private async locate(calls: ApigeeCalls, { app, keyRef }: KeyAddress): Promise<Located> {
    return { developerId: await this.developers.locate(calls, app.developer), app: app.name, key: keyRef };
  }

  /** Of the app: some releases omit the products of a single key, but never those in its app. */
  private async read(
    calls: ApigeeCalls,
    { developerId, app: name, key }: Located,
  ): Promise<{ app: ApigeeAppRecord; record: KeyRecord }> {
    const app = await calls.get(places.app(developerId, name), appOf);
    const record = app.keys.find(({ consumerKey }) => consumerKey === key);
    if (record) return { app, record };
    throw new GatewayNotFoundError({ detail: `Apigee has no such key of app ${name}` });
  }
}
