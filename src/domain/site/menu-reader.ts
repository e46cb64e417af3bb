import type { Database, Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import {
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
  async translations(menuId: number, transaction?: Transaction): Promise<Map<number, ItemTranslations>> {
    const rows = await this.database.select<{ id: number; locale: string; label: string }>(
      `SELECT t.menu_item_id AS id, t.locale, t.label FROM portal_menu_item_translations t
       JOIN portal_menu_items i ON i.id = t.menu_item_id WHERE i.menu_id = ? ORDER BY t.locale`,
      [menuId],
      { transaction },
    );
    const texts = new Map<number, ItemTranslations>();
    for (const { id, locale, label } of rows) texts.set(id, { ...texts.get(id), [locale]: { label } });
    return texts;
  }

  /** The items of a menu as a tree, labels in the default locale. */
  async items(menuId: number, transaction?: Transaction): Promise<MenuItemRecord[]> {
    // One after another: a transaction has one connection.
    const rows = await this.rows(menuId, transaction);
    return treeOf(rows, await this.translations(menuId, transaction));
  }
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
