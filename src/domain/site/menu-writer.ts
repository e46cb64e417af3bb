import type { Transaction } from '../../database/index.js';
import { nextVersion, requireLocales } from '../../core/index.js';
import type { Placed } from './menu-order.js';
import { requireTarget } from './menu-target.js';
import {
  menuItemModel,
  menuModel,
  type ItemTranslations,
  type MenuFacts,
  type MenuItemInput,
  type MenuItemRow,
} from './menu.js';
import type { SiteParts } from './site-parts.js';

/** The writes that changes of menus share. */
export class MenuWriter {
  constructor(private readonly parts: SiteParts) {}

  /** A new item; what is below it is not looked at. @throws ValidationError. @returns its id */
  async insertItem(
    menuId: number,
    parentId: number | null,
    position: number,
    item: MenuItemInput,
    transaction: Transaction,
  ): Promise<number> {
    const now = this.parts.clock.now();
    const { label, visibility, url = null, route = null, translations = {} } = item;
    requireTarget(item);
    requireLocales(translations, this.parts);
    const columns = { menuId, parentId, position, label, url, route, visibility, createdAt: now, updatedAt: now };
    const row = await menuItemModel(this.parts.database).create(columns, { transaction });
    await this.replaceTranslations(Number(row.id), translations, transaction);
    return Number(row.id);
  }

  async replaceTranslations(id: number, translations: ItemTranslations, transaction: Transaction): Promise<void> {
    const { database } = this.parts;
    const remove = 'DELETE FROM portal_menu_item_translations WHERE menu_item_id = ?';
    await database.execute(remove, [id], { transaction });
    for (const [locale, { label }] of Object.entries(translations)) {
      const insert = 'INSERT INTO portal_menu_item_translations (menu_item_id, locale, label) VALUES (?, ?, ?)';
      await database.execute(insert, [id, locale, label], { transaction });
    }
  }

  /** @param rows the items as they are */
  async move(places: readonly Placed[], rows: readonly MenuItemRow[], transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    for (const { id, parentId, position } of places) {
      const row = rows.find((candidate) => candidate.id === id);
      const updatedAt = row ? nextVersion(clock.now(), row) : clock.now();
      await menuItemModel(database).update({ parentId, position, updatedAt }, { where: { id }, transaction });
    }
  }

  /** Tells by its time of change that something of the menu changed. */
  async touch(menu: MenuFacts, transaction: Transaction): Promise<void> {
    const updatedAt = nextVersion(this.parts.clock.now(), menu);
    await menuModel(this.parts.database).update({ updatedAt }, { where: { id: menu.id }, transaction });
  }
}
