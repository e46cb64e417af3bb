import type { Database } from '../../database/index.js';
import { ValidationError } from '../../core/index.js';
import { credentialRecord, appRecord, maskKey } from '../apps/index.js';
import { productRecord } from '../catalog/index.js';
import { findKnownProducts } from './usage-queries.js';
import type { UsageGrouping } from './usage-query.js';

/** Id → name. What has no name is gone, or is nothing that the viewer may know. */
export type Names = ReadonlyMap<number, string>;

/** What the ids in sums of calls are called. */
export class UsageNames {
  constructor(private readonly database: Database) {}

  /** @param viewerId the developer who reads; null: an admin */
  of(grouping: Exclude<UsageGrouping, 'outcome'>, ids: readonly number[], viewerId: number | null): Promise<Names> {
    if (ids.length === 0) return Promise.resolve(new Map());
    if (grouping === 'product') return this.products(ids, viewerId);
    return grouping === 'app' ? this.apps(ids) : this.keys(ids);
  }

  /** Slugs. */
  async products(ids: readonly number[], viewerId: number | null): Promise<Names> {
    if (ids.length === 0) return new Map();
    const rows = await findKnownProducts(this.database, ids, viewerId);
    return new Map(rows.map(({ id, slug }) => [id, slug]));
  }

  /** Keys as they are shown: first and last characters. */
  async keys(ids: readonly number[]): Promise<Names> {
    const rows = await credentialRecord.findAll(this.database, { id: ids }, { only: ['id', 'keyHint'] });
    return new Map(rows.map(({ id, keyHint }) => [id, maskKey(keyHint)]));
  }

  /** @param reference slug or id of a product. @throws ValidationError on `product` */
  async requireProduct(reference: string, viewerId: number | null): Promise<number> {
    const where = /^[1-9]\d{0,15}$/.test(reference) ? { id: Number(reference) } : { slug: reference };
    const found = await productRecord.find(this.database, where, { only: ['id'] });
    if (found && (await this.products([found.id], viewerId)).has(found.id)) return found.id;
    throw new ValidationError({ product: ['There is no such product.'] });
  }

  private async apps(ids: readonly number[]): Promise<Names> {
    const rows = await appRecord.findAll(this.database, { id: ids }, { only: ['id', 'name'] });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
