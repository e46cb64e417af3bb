import { findJoined, type Transaction } from '../../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../../core/index.js';
import { audienceRecord } from '../audience.js';
import { readOffers } from '../plans/offer-queries.js';
import { productRecord, type AdminProductRecord, type ProductRecord } from './product.js';
import { PRODUCT_AUDIENCES, PRODUCT_TRANSLATIONS } from './product-sets.js';
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
    const page = await this.page(query, { viewer: ADMIN, locale: this.localeUnlessDefault(locale) });
    const products = await withRelations(this.parts.database, page.items, null);
    return { ...page, items: await this.addRelations(products, query.with) };
  }

  /** @param reference id or slug. @throws NotFoundError */
  findForAdmin(reference: number | string): Promise<AdminProductRecord> {
    return this.record(reference);
  }

  /** The slug of every product, by its name at the gateway. */
  async slugsAtGateway(): Promise<ReadonlyMap<string, string>> {
    const options = { only: ['gatewayProductId', 'slug'], order: 'p.gateway_product_id' } as const;
    const rows = await productRecord.findAll(this.parts.database, {}, options);
    return new Map(rows.map(({ gatewayProductId, slug }) => [gatewayProductId, slug]));
  }

  protected async record(reference: number | string, transaction?: Transaction): Promise<AdminProductRecord> {
    const product = await this.read(reference, ADMIN, null, transaction);
    const [complete] = await this.addRelations([product], ['audiences', 'plans', 'translations'], transaction);
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
    const plans = await readOffers(database, idsFor('plans'), transaction);
    const translations = await readTranslations(database, PRODUCT_TRANSLATIONS, idsFor('translations'), transaction);
    return products.map((product) => ({
      ...product,
      audiences: audiences.get(product.id) ?? [],
      plans: plans.get(product.id) ?? [],
      translations: translations.get(product.id) ?? {},
    }));
  }

  private audiencesOf(ids: readonly number[], transaction?: Transaction) {
    const options = { only: ['id', 'name'], order: 'a.name, a.id', transaction } as const;
    return findJoined(this.parts.database, PRODUCT_AUDIENCES, audienceRecord, ids, options);
  }
}
