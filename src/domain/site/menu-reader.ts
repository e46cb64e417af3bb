import { findRows, type Database, type Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import {
  ITEM_TRANSLATIONS,
  menuItemRecord,
  menuRecord,
  type ItemTranslations,
  type MenuFacts,
  type MenuItemRecord,
  type MenuItemRow,
} from './menu.js';

/** Reads menus and their items. */
export class MenuReader {
  constructor(private readonly database: Database) {}

  /** @throws NotFoundError */
  bySlug(slug: string): Promise<MenuFacts> {
    return menuRecord.require(this.database, { slug });
  }

  /** @throws NotFoundError */
  byId(id: number, transaction?: Transaction): Promise<MenuFacts> {
    return menuRecord.require(this.database, { id }, { transaction });
  }

  /** The menu, locked until the transaction ends. @throws NotFoundError */
  lock(id: number, transaction: Transaction): Promise<MenuFacts> {
    return menuRecord.require(this.database, { id }, { transaction, lock: true });
  }

  /** The items of a menu, in order. */
  rows(menuId: number, transaction?: Transaction): Promise<MenuItemRow[]> {
    return menuItemRecord.findAll(this.database, { menuId }, { transaction, order: 'i.position, i.id' });
  }

  /** Item → its translations; items without any are absent. */
  async translations(items: readonly MenuItemRow[], transaction?: Transaction): Promise<Map<number, ItemTranslations>> {
    const ids = items.map(({ id }) => id);
    const columns = { locale: 'locale', label: 'label' };
    const texts = { columns, order: 'locale', transaction };
    const found = await findRows<{ locale: string; label: string }>(this.database, ITEM_TRANSLATIONS, ids, texts);
    return new Map([...found].map(([id, rows]) => [id, byLocaleOf(rows)]));
  }

  /** The items of a menu as a tree, labels in the default locale. */
  async items(menuId: number, transaction?: Transaction): Promise<MenuItemRecord[]> {
    const rows = await this.rows(menuId, transaction);
    return treeOf(rows, await this.translations(rows, transaction));
  }
}

function byLocaleOf(rows: readonly { readonly locale: string; readonly label: string }[]): ItemTranslations {
  return Object.fromEntries(rows.map(({ locale, label }) => [locale, { label }]));
}

/**
 * The items below a parent with everything below them; without an item, its descendants are missing too.
 * @param locale of the labels; null for the default one
 */
export function treeOf(
  rows: readonly MenuItemRow[],
  texts: ReadonlyMap<number, ItemTranslations>,
  locale: string | null = null,
  parentId: number | null = null,
): MenuItemRecord[] {
  return rows
    .filter((row) => row.parentId === parentId)
    .map((row) => {
      const translations = texts.get(row.id) ?? {};
      const local = locale !== null && Object.hasOwn(translations, locale) ? translations[locale] : undefined;
      const children = treeOf(rows, texts, locale, row.id);
      return { ...row, label: local?.label ?? row.label, translations, children };
    });
}

/** @throws NotFoundError */
export function itemIn(items: readonly MenuItemRecord[], id: number): MenuItemRecord {
  const search = (candidates: readonly MenuItemRecord[]): MenuItemRecord | undefined => {
    for (const item of candidates) {
      const found = item.id === id ? item : search(item.children);
      if (found) return found;
    }
    return undefined;
  };
  const item = search(items);
  if (!item) throw new NotFoundError();
  return item;
}
