import { changeRecord, lockRecord, type Transaction } from '../../database/index.js';
import { mapPage, type ExpectedVersion, type ListPage, type ListQuery } from '../../core/index.js';
import { MenuCreatedEvent, MenuDeletedEvent, MenuUpdatedEvent } from './events.js';
import { MenuReader, treeOf } from './menu-reader.js';
import { MenuWriter } from './menu-writer.js';
import {
  menuList,
  menuRecord,
  type MenuFacts,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuRecord,
} from './menu.js';
import type { SiteParts } from './site-parts.js';

/** A menu as a list shows it. */
export interface ListedMenu extends MenuFacts {
  /** null unless the list was asked to include them. */
  readonly items: readonly MenuItemRecord[] | null;
}

/** The menus of the portal's pages. See `MenuItemService` for their items. */
export class MenuService {
  private readonly reader: MenuReader;
  private readonly writer: MenuWriter;

  constructor(private readonly parts: SiteParts) {
    this.reader = new MenuReader(parts.database);
    this.writer = new MenuWriter(parts);
  }

  /**
   * A menu with the items that this reader may see; a hidden item hides everything below it.
   * @throws NotFoundError
   */
  async find(slug: string, isSignedIn: boolean, locale: string): Promise<MenuRecord> {
    const menu = await this.reader.bySlug(slug);
    const rows = await this.reader.rows(menu.id);
    const texts = await this.reader.translations(rows);
    const visible = rows.filter(
      ({ visibility }) => visibility === 'everyone' || visibility === (isSignedIn ? 'developers' : 'guests'),
    );
    return { ...menu, items: treeOf(visible, texts, locale === this.parts.defaultLocale ? null : locale) };
  }

  /** Whether there is a menu of that name. */
  exists(slug: string): Promise<boolean> {
    return menuRecord.has(this.parts.database, { slug });
  }

  async list(query: ListQuery): Promise<ListPage<ListedMenu>> {
    const page = await this.parts.lists.run(menuList, query);
    const items = new Map<number, MenuItemRecord[]>();
    if (query.with.includes('items')) {
      for (const { id } of page.items) items.set(id, await this.reader.items(id));
    }
    return mapPage(page, (menu) => ({ ...menu, items: items.get(menu.id) ?? null }));
  }

  /**
   * A menu with all its items.
   * @throws NotFoundError
   */
  async get(id: number): Promise<MenuRecord> {
    return { ...(await this.reader.byId(id)), items: await this.reader.items(id) };
  }

  /** @throws ValidationError for a taken slug or an item without a target or with a script as target */
  async create({ slug, name, items = [] }: MenuInput): Promise<MenuRecord> {
    const { database, events, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const id = await menuRecord.insert(database, { slug, name, createdAt: now, updatedAt: now }, transaction);
      await this.createItems(id, null, items, transaction);
      const menu = await this.reader.byId(id, transaction);
      await events.emit(new MenuCreatedEvent({ menu, occurredAt: now }), transaction);
      return { ...menu, items: await this.reader.items(id, transaction) };
    });
  }

  /** Changes only what is given. @throws NotFoundError, PreconditionFailedError, ValidationError for a taken slug */
  async update(id: number, input: Partial<Pick<MenuInput, 'slug' | 'name'>>, expected?: ExpectedVersion) {
    await this.parts.database.transaction((transaction) =>
      changeRecord(menuRecord, this.parts, transaction, {
        id,
        expected,
        plan: () => ({ values: { slug: input.slug, name: input.name } }),
        read: () => this.reader.byId(id, transaction),
        announce: (menu, changes, occurredAt) => [new MenuUpdatedEvent({ menu, changes, occurredAt })],
      }),
    );
    return this.get(id);
  }

  /**
   * Deletes a menu with its items.
   * @throws NotFoundError, PreconditionFailedError
   */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const menu = await lockRecord(menuRecord, database, id, expected, transaction);
      await menuRecord.remove(database, { id }, transaction);
      await events.emit(new MenuDeletedEvent({ menu, occurredAt: clock.now() }), transaction);
    });
  }

  private async createItems(
    menuId: number,
    parentId: number | null,
    items: readonly MenuItemInput[],
    transaction: Transaction,
  ): Promise<void> {
    for (const [position, item] of items.entries()) {
      const id = await this.writer.insertItem(menuId, parentId, position, item, transaction);
      await this.createItems(menuId, id, item.children ?? [], transaction);
    }
  }
}
