import {
  defineRecord,
  fieldOf,
  touchRecords,
  type Database,
  type OwnedRows,
  type Transaction,
} from '../../../database/index.js';
import type { Changes } from '../../../core/index.js';
import { AUDIENCE_NAMES, audienceRecord } from '../audience.js';
import { replaceJoinRows, type ValueChange, type JoinTable } from '../join-table.js';
import { replaceOffers } from '../plans/offers.js';
import type { ProductInput } from './product-input.js';
import { changeTranslations } from '../translation.js';

export const PRODUCT_TAGS: OwnedRows = { table: 'portal_product_tags', owner: 'product_id' };
export const PRODUCT_TRANSLATIONS: OwnedRows = { table: 'portal_product_translations', owner: 'product_id' };

const tagRecord = defineRecord({
  name: 'ProductTag',
  table: 'portal_product_tags',
  alias: 't',
  fields: { productId: fieldOf.reference().key(), tag: fieldOf.text(50).key() },
});

export const PRODUCT_CATEGORIES: JoinTable = {
  table: 'portal_category_products',
  owner: 'product_id',
  key: 'category_id',
  target: { table: 'portal_categories', name: 'slug' },
  what: 'category',
};

export const PRODUCT_AUDIENCES: JoinTable = {
  table: 'portal_audience_products',
  owner: 'product_id',
  key: 'audience_id',
  target: AUDIENCE_NAMES,
  what: 'audience',
};

/** The parts of a product that live in other tables, written as whole sets within the caller's transaction. */
export class ProductSets {
  constructor(private readonly database: Database) {}

  /**
   * Replaces the given sets and leaves the others.
   * @returns what actually changed, by field; null for nothing
   * @throws ValidationError naming categories, audiences and plans that do not exist
   */
  async write(
    productId: number,
    input: { readonly [K in keyof ProductInput]?: ProductInput[K] | undefined },
    now: Date,
    transaction: Transaction,
  ): Promise<Changes | null> {
    const { database } = this;
    const { categories, audiences, tags, translations, plans, defaultPlan } = input;
    const changes: Record<string, ValueChange | null | undefined> = {};
    if (categories) {
      const change = await replaceJoinRows(
        database,
        PRODUCT_CATEGORIES,
        'categories',
        productId,
        categories,
        transaction,
      );
      changes.categories = change?.names;
    }
    if (audiences) {
      const change = await replaceJoinRows(database, PRODUCT_AUDIENCES, 'audiences', productId, audiences, transaction);
      const touched = [...(change?.added ?? []), ...(change?.removed ?? [])];
      await touchRecords(audienceRecord, database, touched, now, transaction);
      changes.audiences = change?.names;
    }
    if (plans || defaultPlan !== undefined) {
      Object.assign(changes, await replaceOffers(database, productId, { plans, defaultPlan }, transaction));
    }
    if (tags) changes.tags = await this.tag(productId, tags, transaction);
    if (translations) {
      changes.translations = await changeTranslations(
        database,
        PRODUCT_TRANSLATIONS,
        productId,
        translations,
        transaction,
      );
    }
    const real = Object.entries(changes).filter((entry): entry is [string, ValueChange] => Boolean(entry[1]));
    return real.length > 0 ? Object.fromEntries(real) : null;
  }

  private async tag(productId: number, tags: readonly string[], transaction: Transaction): Promise<ValueChange | null> {
    const { database } = this;
    const rows = await tagRecord.findAll(database, { productId }, { transaction });
    const before = rows.map(({ tag }) => tag).sort();
    const after = [...new Set(tags)].sort();
    if (JSON.stringify(before) === JSON.stringify(after)) return null;
    const tagged = after.map((tag) => ({ productId, tag }));
    await tagRecord.remove(database, { productId }, transaction);
    await tagRecord.insertAll(database, tagged, transaction);
    return [before, after];
  }
}
