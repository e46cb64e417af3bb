import { UniqueViolationError, type Transaction } from '../../database/index.js';
import {
  changesOf,
  mapPage,
  nextVersion,
  requireVersion,
  ValidationError,
  type ExpectedVersion,
  type ListQuery,
  type ListPage,
} from '../../core/index.js';
import { MenuCreatedEvent, MenuDeletedEvent, MenuUpdatedEvent } from './events.js';
import { menuList } from './menu-list.js';
import { MenuReader, treeOf } from './menu-reader.js';
import { MenuWriter } from './menu-writer.js';
import {
  menuModel,
  type MenuFacts,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuRecord,
} from './menu.js';
import type { SiteParts } from './site-parts.js';

/** A menu as a list shows it. */
export interface ListedMenu extends MenuFacts {
  /** null where the list was not asked for them. */
  readonly items: readonly MenuItemRecord[] | null;
}

/** The menus of the portal's pages. Their items: `MenuItemService`. */
export class MenuService {
  private readonly reader: MenuReader;
  private readonly writer: MenuWriter;

  constructor(private readonly parts: SiteParts) {
    this.reader = new MenuReader(parts.database);
    this.writer = new MenuWriter(parts);
  }

  /**
   * A menu with the items for this reader; an item that is not for them hides what is below it.
   * @throws NotFoundError
   */
  async find(slug: string, isSignedIn: boolean, locale: string): Promise<MenuRecord> {
    const menu = await this.reader.bySlug(slug);
    const [rows, texts] = await Promise.all([this.reader.rows(menu.id), this.reader.translations(menu.id)]);
    const visible = rows.filter(
      ({ visibility }) => visibility === 'everyone' || visibility === (isSignedIn ? 'developers' : 'guests'),
    );
    return { ...menu, items: treeOf(visible, texts, locale === this.parts.defaultLocale ? null : locale) };
  }

  /** Whether there is a menu of that name. */
  async exists(slug: string): Promise<boolean> {
    const rows = await this.parts.database.select('SELECT id FROM portal_menus WHERE slug = ?', [slug]);
    return rows.length > 0;
  }

  async list(query: ListQuery): Promise<ListPage<ListedMenu>> {
    const page = await this.parts.lists.run(menuList, query);
    const items = new Map<number, MenuItemRecord[]>();
    if (query.with.includes('items')) {
      for (const { id } of page.items) items.set(id, await this.reader.items(id));
    }
    return mapPage(page, (menu) => ({ ...menu, items: items.get(menu.id) ?? null }));
  }

  /** With all its items. @throws NotFoundError */
  async get(id: number): Promise<MenuRecord> {
    return { ...(await this.reader.byId(id)), items: await this.reader.items(id) };
  }

  /** @throws ValidationError for a taken slug or an item that leads nowhere or to a script */
  async create({ slug, name, items = [] }: MenuInput): Promise<MenuRecord> {
    const { database, events, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const row = await menuModel(database)
        .create({ slug, name, createdAt: now, updatedAt: now }, { transaction })
        .catch(refuseTakenSlug);
      const id = Number(row.id);
      await this.createItems(id, null, items, transaction);
      const menu = await this.reader.byId(id, transaction);
      await events.emit(new MenuCreatedEvent({ menu, occurredAt: now }), transaction);
      return { ...menu, items: await this.reader.items(id, transaction) };
    });
  }

  /** Changes only what is given. @throws NotFoundError, PreconditionFailedError, ValidationError for a taken slug */
  async update(id: number, input: Partial<Pick<MenuInput, 'slug' | 'name'>>, expected?: ExpectedVersion) {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const before = await this.reader.lock(id, transaction);
      requireVersion(expected, before);
      const changes = changesOf<Pick<MenuFacts, 'slug' | 'name'>>(before, { slug: input.slug, name: input.name });
      if (changes === null) return;
      const values = { slug: input.slug, name: input.name, updatedAt: nextVersion(clock.now(), before) };
      await menuModel(database).update(values, { where: { id }, transaction }).catch(refuseTakenSlug);
      const menu = await this.reader.byId(id, transaction);
      await events.emit(new MenuUpdatedEvent({ menu, changes, occurredAt: clock.now() }), transaction);
    });
    return this.get(id);
  }

  /** With its items. @throws NotFoundError, PreconditionFailedError */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const menu = await this.reader.lock(id, transaction);
      requireVersion(expected, menu);
      await menuModel(database).destroy({ where: { id }, transaction });
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

function refuseTakenSlug(error: unknown): never {
  if (!(error instanceof UniqueViolationError)) throw error;
  throw new ValidationError({ slug: ['This value is already taken by another menu.'] }, { cause: error });
}
