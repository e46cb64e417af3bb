import { UniqueViolationError, type Database } from '../../database/index.js';
import type { GatewayKeyProducts, KeyAddress, KeyProduct } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';
import type { LocalKeys } from './local-keys.js';

export class LocalKeyProducts implements GatewayKeyProducts {
  constructor(
    private readonly database: Database,
    private readonly keys: LocalKeys,
  ) {}

  async add(key: KeyAddress, grant: KeyProduct): Promise<void> {
    const id = await this.keys.find(key);
    if (await this.update(id, grant)) return;
    try {
      const sql = 'INSERT INTO portal_gateway_key_products (key_id, product, status) VALUES (?, ?, ?)';
      await this.database.execute(sql, [id, grant.product, grant.status]);
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
    const id = await this.keys.lookUp(key);
    if (id === undefined) return;
    const sql = 'DELETE FROM portal_gateway_key_products WHERE key_id = ? AND product = ?';
    await this.database.execute(sql, [id, product]);
  }

  private async update(id: number, { product, status }: KeyProduct): Promise<boolean> {
    const sql = 'UPDATE portal_gateway_key_products SET status = ? WHERE key_id = ? AND product = ?';
    const { affectedRows } = await this.database.execute(sql, [status, id, product]);
    return affectedRows > 0;
  }
}
