import type { Transaction } from '../../database/index.js';
import {
  changesOf,
  nextVersion,
  requireLocales,
  requireVersion,
  type Changes,
  type ExpectedVersion,
} from '../../core/index.js';
import { MenuItemCreatedEvent, MenuItemDeletedEvent, MenuItemUpdatedEvent } from './events.js';
import { closeGaps, place, requireRoom, subtree } from './menu-order.js';
import { itemIn, MenuReader } from './menu-reader.js';
import { requireTarget } from './menu-target.js';
import { MenuWriter } from './menu-writer.js';
import {
  menuItemRecord,
  type ItemTranslations,
  type ItemVisibility,
  type MenuFacts,
  type MenuItemRecord,
  type MenuItemRow,
} from './menu.js';
import type { SiteParts } from './site-parts.js';

export interface ItemChange {
  readonly label?: string | undefined;
  /** One of the two; setting one clears the other. */
  readonly url?: string | null | undefined;
  readonly route?: string | null | undefined;
  readonly visibility?: ItemVisibility | undefined;
  readonly translations?: ItemTranslations | undefined;
  readonly parentId?: number | null | undefined;
  /** Among the items of the same parent; last if it is larger. */
  readonly position?: number | undefined;
}

export interface NewItem extends ItemChange {
  readonly label: string;
}

/** The items of menus. Every change locks its menu, since order and depth concern the whole menu. */
export class MenuItemService {
  private readonly reader: MenuReader;
  private readonly writer: MenuWriter;

  constructor(private readonly parts: SiteParts) {
    this.reader = new MenuReader(parts.database);
    this.writer = new MenuWriter(parts);
  }

  /**
   * The whole tree of a menu.
   * @throws NotFoundError
   */
  async list(menuId: number): Promise<MenuItemRecord[]> {
    await this.reader.byId(menuId);
    return this.reader.items(menuId);
  }

  /** @throws NotFoundError */
  async find(menuId: number, id: number): Promise<MenuItemRecord> {
    return itemIn(await this.list(menuId), id);
  }

  /** @throws NotFoundError, ValidationError, ConflictError for a full menu */
  async create(menuId: number, input: NewItem): Promise<MenuItemRecord> {
    return this.change(menuId, async (menu, rows, transaction) => {
      requireRoom(rows);
      const { label, url, route, visibility = 'everyone', translations = {}, parentId = null, position } = input;
      const item = { label, visibility, translations, ...target({}, { url, route }) };
      const last = rows.length;
      const id = await this.writer.insertItem(menuId, null, last, item, transaction);
      const places = place([...rows, { id, parentId: null, position: last }], id, parentId, position);
      await this.writer.move(places, rows, transaction);
      const created = itemIn(await this.reader.items(menuId, transaction), id);
      const fact = { menu, item: created, occurredAt: this.parts.clock.now() };
      await this.parts.events.emit(new MenuItemCreatedEvent(fact), transaction);
      return { result: created, isChanged: true };
    });
  }

  /** Changes only what is given. @throws NotFoundError, PreconditionFailedError, ValidationError */
  async update(menuId: number, id: number, input: ItemChange, expected?: ExpectedVersion): Promise<MenuItemRecord> {
    return this.change(menuId, async (menu, rows, transaction) => {
      const before = itemIn(await this.reader.items(menuId, transaction), id);
      requireVersion(expected, before);
      await this.rearrange(rows, before, input, transaction);
      await this.rewrite(before, input, transaction);
      const item = itemIn(await this.reader.items(menuId, transaction), id);
      const changes = itemChanges(before, item);
      if (changes !== null) {
        const fact = { menu, item, changes, occurredAt: this.parts.clock.now() };
        await this.parts.events.emit(new MenuItemUpdatedEvent(fact), transaction);
      }
      return { result: item, isChanged: changes !== null };
    });
  }

  /**
   * Deletes an item and everything below it.
   * @throws NotFoundError, PreconditionFailedError
   */
  async delete(menuId: number, id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await this.change(menuId, async (menu, rows, transaction) => {
      const item = itemIn(await this.reader.items(menuId, transaction), id);
      requireVersion(expected, item);
      const gone = subtree(rows, item);
      for (const row of [...gone].reverse()) {
        await menuItemRecord.remove(database, { id: row.id }, transaction);
        await events.emit(new MenuItemDeletedEvent({ menu, item: row, occurredAt: clock.now() }), transaction);
      }
      const rest = rows.filter((row) => !gone.some((other) => other.id === row.id));
      await this.writer.move(closeGaps(rest, item.parentId), rest, transaction);
      return { result: undefined, isChanged: true };
    });
  }

  private change<T>(
    menuId: number,
    run: (
      menu: MenuFacts,
      rows: readonly MenuItemRow[],
      transaction: Transaction,
    ) => Promise<{ result: T; isChanged: boolean }>,
  ): Promise<T> {
    return this.parts.database.transaction(async (transaction) => {
      const menu = await this.reader.lock(menuId, transaction);
      const { result, isChanged } = await run(menu, await this.reader.rows(menuId, transaction), transaction);
      if (isChanged) await this.writer.touch(menu, transaction);
      return result;
    });
  }

  private async rearrange(
    rows: readonly MenuItemRow[],
    before: MenuItemRecord,
    { parentId = before.parentId, position }: ItemChange,
    transaction: Transaction,
  ): Promise<void> {
    const stays = parentId === before.parentId;
    if (stays && position === undefined) return;
    await this.writer.move(place(rows, before.id, parentId, position), rows, transaction);
  }

  private async rewrite(before: MenuItemRecord, input: ItemChange, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const { id } = before;
    const { label = before.label, visibility = before.visibility } = input;
    const translations = byLocale(input.translations ?? before.translations);
    const after = { label, visibility, translations, ...target(before, input) };
    requireTarget(after);
    requireLocales(input.translations, this.parts);
    if (changesOf<typeof after>(before, after) === null) return;
    const { translations: texts, ...values } = after;
    const updatedAt = nextVersion(clock.now(), before);
    await menuItemRecord.update(database, { id }, { ...values, updatedAt }, transaction);
    await this.writer.replaceTranslations(id, texts, transaction);
  }
}

/** Target of an item after a change: setting one of the two clears the other. */
function target(before: Pick<ItemChange, 'url' | 'route'>, { url, route }: Pick<ItemChange, 'url' | 'route'>) {
  return {
    url: url ?? (url === undefined && !route ? (before.url ?? null) : null),
    route: route ?? (route === undefined && !url ? (before.route ?? null) : null),
  };
}

// In a canonical order, so that equal translations compare equal.
function byLocale(translations: ItemTranslations): ItemTranslations {
  return Object.fromEntries(Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function itemChanges(before: MenuItemRecord, after: MenuItemRecord): Changes | null {
  const { label, url, route, visibility, translations, parentId, position } = after;
  return changesOf(before, { label, url, route, visibility, translations, parentId, position });
}
