import {
  type GatewayKeyProducts,
  GatewayNotFoundError,
  type KeyAddress,
  type KeyProduct,
} from '../../gateway/index.js';
import { type ApigeeCalls, type ApigeeContext, ignoreMissing } from './apigee-calls.js';
import type { ApigeeDevelopers } from './apigee-developers.js';
import { places, requireProductName } from './place.js';
import { appOf, keyOf, type KeyRecord } from './records.js';

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
  constructor(
    private readonly context: ApigeeContext,
    private readonly developers: ApigeeDevelopers,
  ) {}

  async add(address: KeyAddress, { product, status }: KeyProduct): Promise<void> {
    const calls = this.context.begin();
    const at = await this.locate(calls, address);
    const record = await this.read(calls, at);
    const present = record.products?.find((grant) => grant.product === product);
    if (present?.status === status) return;
    const place = places.keyProduct(at.developerId, at.app, at.key, product);
    if (status !== 'approved') {
      if (present) await calls.act(place, 'revoke').catch(ignoreMissing);
      return;
    }
    if (!present) {
      // Adds the product, and replaces all attributes.
      const body = { apiProducts: [requireProductName(product)], attributes: record.attributes };
      const added = await calls.post(places.key(at.developerId, at.app, at.key), body, {
        isRepeatable: true,
        read: keyOf,
      });
      if (added.products?.some((grant) => grant.product === product && grant.status === 'approved')) return;
    }
    await calls.act(place, 'approve');
  }

  setStatus(address: KeyAddress, product: KeyProduct): Promise<void> {
    return this.add(address, product);
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

  private async locate(calls: ApigeeCalls, { app, keyRef }: KeyAddress): Promise<Located> {
    return { developerId: await this.developers.locate(calls, app.developer), app: app.name, key: keyRef };
  }

  /** Some releases omit the products of a single key, but never those in its app. */
  private async read(calls: ApigeeCalls, { developerId, app, key }: Located): Promise<KeyRecord> {
    const record = await calls.get(places.key(developerId, app, key), keyOf);
    if (record.products) return record;
    const { keys } = await calls.get(places.app(developerId, app), appOf);
    const found = keys.find(({ consumerKey }) => consumerKey === key);
    if (found) return found;
    throw new GatewayNotFoundError({ detail: `Apigee has no such key of app ${app}` });
  }
}
