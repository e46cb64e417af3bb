import { UniqueViolationError, type Database } from '../../database/index.js';
import type { GatewayKeyProducts, KeyAddress, KeyProduct } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';
import type { LocalKeys } from './local-keys.js';
import { localKeyProductRecord } from './records.js';

export class LocalKeyProducts implements GatewayKeyProducts {
  constructor(
    private readonly database: Database,
    private readonly keys: LocalKeys,
  ) {}

  async add(key: KeyAddress, grant: KeyProduct): Promise<void> {
    const id = await this.keys.find(key);
    if (await this.update(id, grant)) return;
    try {
      const { product, status } = grant;
      await localKeyProductRecord.insert(this.database, { keyId: id, product, status });
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      await this.update(id, grant);
    }
  }

  async setStatus(key: KeyAddress, grant: KeyProduct): Promise<void> {
    if (await this.update(await this.keys.find(key), grant)) return;
    throw new GatewayNotFoundError({ detail: `key ${key.keyRef} of the local gateway has no ${grant.product}` });
  }

  async remove(key: KeyAddress, product: string): Promise<void> {
    const keyId = await this.keys.lookUp(key);
    if (keyId !== undefined) await localKeyProductRecord.remove(this.database, { keyId, product });
  }

  private async update(keyId: number, { product, status }: KeyProduct): Promise<boolean> {
    return (await localKeyProductRecord.update(this.database, { keyId, product }, { status })) > 0;
  }
}
