import { countRowsOf, findJoined, type Transaction } from '../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../core/index.js';
import { userRecord } from '../accounts/index.js';
import {
  audienceList,
  audienceRecord,
  AUDIENCE_PRODUCTS,
  AUDIENCE_USERS,
  type AudienceRecord,
  type AudienceRow,
} from './audience.js';
import type { CatalogParts } from './contracts.js';
import { productRecord } from './products/product.js';

/** Maximum number of members and products in a record; the counts include all. */
export const MOST_SHOWN = 1000;

const BOTH = ['users', 'products'];

/** Reads audiences: groups of developers who may see certain private products. */
export class AudienceReader {
  constructor(protected readonly parts: CatalogParts) {}

  /** @throws ValidationError naming what the list does not support */
  async list(query: ListQuery): Promise<ListPage<AudienceRecord>> {
    const page = await this.parts.lists.run(audienceList, query);
    return { ...page, items: await this.complete(page.items, query.with) };
  }

  /** @throws NotFoundError */
  find(id: number): Promise<AudienceRecord> {
    return this.record({ id });
  }

  /** @throws NotFoundError */
  findByName(name: string): Promise<AudienceRecord> {
    return this.record({ name });
  }

  protected async record(
    where: { readonly id: number } | { readonly name: string },
    transaction?: Transaction,
  ): Promise<AudienceRecord> {
    const rows = await audienceRecord.findAll(this.parts.database, where, { transaction });
    const [audience] = await this.complete(rows, BOTH, transaction);
    if (!audience) throw new NotFoundError();
    return audience;
  }

  private async complete(
    rows: readonly AudienceRow[],
    relations: readonly string[],
    transaction?: Transaction,
  ): Promise<AudienceRecord[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const { database } = this.parts;
    const usersCount = await countRowsOf(database, AUDIENCE_USERS, ids, transaction);
    const productsCount = await countRowsOf(database, AUDIENCE_PRODUCTS, ids, transaction);
    const users = relations.includes('users') ? await this.findMembers(ids, transaction) : undefined;
    const products = relations.includes('products') ? await this.findProducts(ids, transaction) : undefined;
    return rows.map((row) => ({
      ...row,
      usersCount: usersCount.get(row.id) ?? 0,
      productsCount: productsCount.get(row.id) ?? 0,
      ...(users && { users: users.get(row.id) ?? [] }),
      ...(products && { products: products.get(row.id) ?? [] }),
    }));
  }

  private findMembers(ids: readonly number[], transaction?: Transaction) {
    const only = ['id', 'email', 'firstName', 'lastName'] as const;
    const options = { only, order: 'u.email', limit: MOST_SHOWN, transaction };
    return findJoined(this.parts.database, AUDIENCE_USERS, userRecord, ids, options);
  }

  private findProducts(ids: readonly number[], transaction?: Transaction) {
    const options = { only: ['id', 'slug', 'name'], order: 'p.slug', limit: MOST_SHOWN, transaction } as const;
    return findJoined(this.parts.database, AUDIENCE_PRODUCTS, productRecord, ids, options);
  }
}
