import type { Database, SqlValue, Transaction } from '../../database/index.js';
import { ValidationError } from '../../kernel/index.js';
import type { ProductInput } from './product-input.js';
import { readTranslations, replaceTranslations, type TranslationTable } from './translation.js';

const PRODUCT_TRANSLATIONS: TranslationTable = { table: 'portal_product_translations', owner: 'product_id' };

/** A join table from products to records that inputs call by name. */
interface LinkTable {
  readonly link: string;
  readonly target: string;
  readonly key: string;
  readonly name: string;
  readonly what: string;
}

const CATEGORIES: LinkTable = {
  link: 'portal_category_products',
  target: 'portal_categories',
  key: 'category_id',
  name: 'slug',
  what: 'category',
};

const AUDIENCES: LinkTable = {
  link: 'portal_audience_products',
  target: 'portal_audiences',
  key: 'audience_id',
  name: 'name',
  what: 'audience',
};

/** What was there before and after; the two differ. */
type Change = readonly [before: unknown, after: unknown];

/** The parts of a product that live in other tables, written as whole sets within the caller's transaction. */
export class ProductLinks {
  constructor(private readonly database: Database) {}

  /**
   * Writes the sets that the input names and leaves the others.
   * @returns what really changed, by field
   * @throws ValidationError naming categories and audiences that do not exist
   */
  async write(
    productId: number,
    input: Partial<ProductInput>,
    transaction: Transaction,
  ): Promise<Record<string, Change>> {
    const { categories, audiences, tags, translations } = input;
    const changes: Record<string, Change | null> = {};
    if (categories) changes.categories = await this.link(CATEGORIES, 'categories', productId, categories, transaction);
    if (audiences) changes.audiences = await this.link(AUDIENCES, 'audiences', productId, audiences, transaction);
    if (tags) changes.tags = await this.tag(productId, tags, transaction);
    if (translations) changes.translations = await this.translate(productId, translations, transaction);
    return Object.fromEntries(Object.entries(changes).filter((entry): entry is [string, Change] => entry[1] !== null));
  }

  private async link(
    { link, target, key, name, what }: LinkTable,
    field: string,
    productId: number,
    names: readonly string[],
    transaction: Transaction,
  ): Promise<Change | null> {
    const before = await this.names(
      `SELECT t.${name} AS name FROM ${link} l JOIN ${target} t ON t.id = l.${key} WHERE l.product_id = ?`,
      [productId],
      transaction,
    );
    const wanted = await this.targets(target, name, names, transaction);
    const missing = [...new Set(names)].filter((asked) => !wanted.some((row) => sameName(row.name, asked)));
    if (missing.length > 0)
      throw new ValidationError({ [field]: missing.map((asked) => `There is no ${what} "${asked}".`) });
    const after = wanted.map((row) => row.name);
    if (sameSet(before, after)) return null;
    await this.database.execute(`DELETE FROM ${link} WHERE product_id = ?`, [productId], { transaction });
    for (const row of wanted) {
      await this.insert(`INSERT INTO ${link} (${key}, product_id) VALUES (?, ?)`, [row.id, productId], transaction);
    }
    return [before, after.sort()];
  }

  private async tag(productId: number, tags: readonly string[], transaction: Transaction): Promise<Change | null> {
    const sql = 'SELECT tag AS name FROM portal_product_tags WHERE product_id = ?';
    const before = await this.names(sql, [productId], transaction);
    const after = [...new Set(tags)].sort();
    if (sameSet(before, after)) return null;
    await this.database.execute('DELETE FROM portal_product_tags WHERE product_id = ?', [productId], { transaction });
    for (const tag of after) {
      await this.insert(
        'INSERT INTO portal_product_tags (product_id, tag) VALUES (?, ?)',
        [productId, tag],
        transaction,
      );
    }
    return [before, after];
  }

  private async translate(
    productId: number,
    translations: NonNullable<ProductInput['translations']>,
    transaction: Transaction,
  ): Promise<Change | null> {
    const read = async () => {
      const found = await readTranslations(this.database, PRODUCT_TRANSLATIONS, [productId], transaction);
      return found.get(productId) ?? {};
    };
    const before = await read();
    await replaceTranslations(this.database, PRODUCT_TRANSLATIONS, productId, translations, transaction);
    const after = await read();
    return JSON.stringify(before) === JSON.stringify(after) ? null : [before, after];
  }

  private async names(sql: string, values: readonly SqlValue[], transaction: Transaction): Promise<string[]> {
    const rows = await this.database.select<{ name: string }>(sql, values, { transaction });
    return rows.map(({ name }) => name).sort();
  }

  private async targets(table: string, name: string, names: readonly string[], transaction: Transaction) {
    if (names.length === 0) return [];
    const sql = `SELECT id, ${name} AS name FROM ${table} WHERE ${name} IN (${names.map(() => '?').join(', ')})`;
    return this.database.select<{ id: number; name: string }>(sql, names, { transaction });
  }

  private async insert(sql: string, values: readonly SqlValue[], transaction: Transaction): Promise<void> {
    await this.database.execute(sql, values, { transaction });
  }
}

// Audiences are named in people's words, which the database compares without case.
function sameName(stored: string, asked: string): boolean {
  return stored.toLowerCase() === asked.toLowerCase();
}

function sameSet(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && [...after].sort().every((name, index) => name === before[index]);
}
