import { placeholders, type Transaction } from '../../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../../core/index.js';
import type { AudienceReference } from '../audience.js';
import type { AdminProductRecord, ProductRecord } from './product.js';
import { PRODUCT_TRANSLATIONS } from './product-sets.js';
import { ProductReader } from './product-reader.js';
import { withRelations } from './product-relations.js';
import { readTranslations } from '../translation.js';
import { ADMIN } from '../visibility.js';

/** Reads API products with their admin-only fields. */
export class ProductAdminReader extends ProductReader {
  /**
   * A page of all products, drafts included. Names are sorted, filtered and searched in the given locale; the records
   * are in the default locale, so that they can be written back.
   * @throws ValidationError naming what the list does not support
   */
  async listAll(query: ListQuery, locale: string): Promise<ListPage<AdminProductRecord>> {
    const page = await this.page(query, { viewer: ADMIN, locale: this.foreign(locale) });
    const products = await withRelations(this.parts.database, page.items, null);
    return { ...page, items: await this.addRelations(products, query.with) };
  }

  /** @param reference id or slug. @throws NotFoundError */
  findForAdmin(reference: number | string): Promise<AdminProductRecord> {
    return this.record(reference);
  }

  protected async record(reference: number | string, transaction?: Transaction): Promise<AdminProductRecord> {
    const product = await this.read(reference, ADMIN, null, transaction);
    const [complete] = await this.addRelations([product], ['audiences', 'translations'], transaction);
    if (!complete) throw new NotFoundError();
    return complete;
  }

  /** @param relations those to read; the others are empty */
  private async addRelations(
    products: readonly ProductRecord[],
    relations: readonly string[],
    transaction?: Transaction,
  ): Promise<AdminProductRecord[]> {
    const ids = products.map(({ id }) => id);
    const idsFor = (relation: string) => (relations.includes(relation) ? ids : []);
    const { database } = this.parts;
    const audiences = await this.audiencesOf(idsFor('audiences'), transaction);
    const translations = await readTranslations(database, PRODUCT_TRANSLATIONS, idsFor('translations'), transaction);
    return products.map((product) => ({
      ...product,
      audiences: audiences.get(product.id) ?? [],
      translations: translations.get(product.id) ?? {},
    }));
  }

  private async audiencesOf(ids: readonly number[], transaction?: Transaction) {
    const found = new Map<number, AudienceReference[]>();
    if (ids.length === 0) return found;
    const rows = await this.parts.database.select<AudienceReference & { productId: number }>(
      `SELECT shown.product_id AS productId, a.id AS id, a.name AS name
       FROM portal_audience_products shown JOIN portal_audiences a ON a.id = shown.audience_id
       WHERE shown.product_id IN (${placeholders(ids)}) ORDER BY a.name, a.id`,
      ids,
      { transaction },
    );
    for (const { productId, ...audience } of rows) {
      found.set(productId, [...(found.get(productId) ?? []), audience]);
    }
    return found;
  }
}
