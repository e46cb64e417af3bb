import { replaceRows, type Transaction } from '../../database/index.js';
import { nextVersion, requireLocales } from '../../core/index.js';
import type { Placed } from './menu-order.js';
import { requireTarget } from './menu-target.js';
import {
  ITEM_TRANSLATIONS,
  menuItemRecord,
  menuRecord,
  type ItemTranslations,
  type MenuFacts,
  type MenuItemInput,
  type MenuItemRow,
} from './menu.js';
import type { SiteParts } from './site-parts.js';

/** Writes that several menu changes share. */
export class MenuWriter {
  constructor(private readonly parts: SiteParts) {}

  /** Inserts an item without its children. @throws ValidationError. @returns its id */
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
    const id = await menuItemRecord.insert(this.parts.database, columns, transaction);
    await this.replaceTranslations(id, translations, transaction);
    return id;
  }

  replaceTranslations(id: number, translations: ItemTranslations, transaction: Transaction): Promise<void> {
    const rows = Object.entries(translations).map(([locale, { label }]) => ({ locale, label }));
    return replaceRows(this.parts.database, ITEM_TRANSLATIONS, id, rows, transaction);
  }

  /** @param rows the items as they are */
  async move(places: readonly Placed[], rows: readonly MenuItemRow[], transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    for (const { id, parentId, position } of places) {
      const row = rows.find((candidate) => candidate.id === id);
      const updatedAt = row ? nextVersion(clock.now(), row) : clock.now();
      await menuItemRecord.update(database, { id }, { parentId, position, updatedAt }, transaction);
    }
  }

  /** Updates the menu's `updatedAt` to reflect a change within it. */
  async touch(menu: MenuFacts, transaction: Transaction): Promise<void> {
    const updatedAt = nextVersion(this.parts.clock.now(), menu);
    await menuRecord.update(this.parts.database, { id: menu.id }, { updatedAt }, transaction);
  }
}
