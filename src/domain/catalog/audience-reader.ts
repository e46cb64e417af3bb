import { placeholders, type Transaction } from '../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../core/index.js';
import {
  audienceList,
  audienceRecord,
  type AudienceMember,
  type AudienceProduct,
  type AudienceRecord,
  type AudienceRow,
} from './audience.js';
import type { CatalogParts } from './contracts.js';

/** Maximum number of members and products in a record; the counts include all. */
export const MOST_SHOWN = 1000;

const BOTH = ['users', 'products'];

interface LinkedRow {
  readonly audienceId: number;
}

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
    const usersCount = await this.count('portal_audience_users', ids, transaction);
    const productsCount = await this.count('portal_audience_products', ids, transaction);
    const users = relations.includes('users') ? await this.membersOf(ids, transaction) : undefined;
    const products = relations.includes('products') ? await this.productsOf(ids, transaction) : undefined;
    return rows.map((row) => ({
      ...row,
      usersCount: usersCount.get(row.id) ?? 0,
      productsCount: productsCount.get(row.id) ?? 0,
      ...(users && { users: users.get(row.id) ?? [] }),
      ...(products && { products: products.get(row.id) ?? [] }),
    }));
  }

  private async count(table: string, ids: readonly number[], transaction?: Transaction): Promise<Map<number, number>> {
    const rows = await this.parts.database.select<LinkedRow & { linked: number }>(
      `SELECT audience_id AS audienceId, COUNT(*) AS linked FROM ${table}
       WHERE audience_id IN (${placeholders(ids)}) GROUP BY audience_id`,
      ids,
      { transaction },
    );
    return new Map(rows.map(({ audienceId, linked }) => [audienceId, Number(linked)]));
  }

  private membersOf(ids: readonly number[], transaction?: Transaction): Promise<Map<number, AudienceMember[]>> {
    return this.readLinked<AudienceMember>(
      `SELECT link.audience_id AS audienceId, u.id AS id, u.email AS email, u.first_name AS firstName,
         u.last_name AS lastName, ROW_NUMBER() OVER (PARTITION BY link.audience_id ORDER BY u.email) AS place
       FROM portal_audience_users link JOIN portal_users u ON u.id = link.user_id
       WHERE link.audience_id IN (${placeholders(ids)})`,
      ids,
      transaction,
    );
  }

  private productsOf(ids: readonly number[], transaction?: Transaction): Promise<Map<number, AudienceProduct[]>> {
    return this.readLinked<AudienceProduct>(
      `SELECT link.audience_id AS audienceId, p.id AS id, p.slug AS slug, p.name AS name,
         ROW_NUMBER() OVER (PARTITION BY link.audience_id ORDER BY p.slug) AS place
       FROM portal_audience_products link JOIN portal_products p ON p.id = link.product_id
       WHERE link.audience_id IN (${placeholders(ids)})`,
      ids,
      transaction,
    );
  }

  /** @param sql rows with `audienceId` and their `place` in it, from 1 */
  private async readLinked<T>(
    sql: string,
    ids: readonly number[],
    transaction?: Transaction,
  ): Promise<Map<number, T[]>> {
    const rows = await this.parts.database.select<T & LinkedRow & { place: number }>(
      `SELECT * FROM (${sql}) linked WHERE place <= ? ORDER BY place`,
      [...ids, MOST_SHOWN],
      { transaction },
    );
    const found = new Map<number, T[]>();
    for (const row of rows) {
      const known = found.get(row.audienceId);
      if (known) known.push(row);
      else found.set(row.audienceId, [row]);
    }
    return found;
  }
}
