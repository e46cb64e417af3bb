import { UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import { NotFoundError, ValidationError, type Clock, type EventBus } from '../../kernel/index.js';
import { MenuCreatedEvent } from './events.js';
import {
  menuItemModel,
  menuModel,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuRecord,
} from './menu.js';

export interface SiteParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly defaultLocale: string;
}

type ItemRow = Omit<MenuItemRecord, 'translations' | 'children'>;
type ItemTexts = Readonly<Record<string, { readonly label: string }>>;

/** Where a menu may lead: web and mail addresses and paths of this site, never a script. */
const SAFE_URL = /^(https?:\/\/|mailto:|\/(?!\/))[^\s<>"]*$/i;

/** The menus of the portal's pages. */
export class MenuService {
  constructor(private readonly parts: SiteParts) {}

  /**
   * A menu with the items for this reader; an item that is not for them hides what is below it.
   * @throws NotFoundError
   */
  async find(slug: string, isSignedIn: boolean, locale: string): Promise<MenuRecord> {
    const { database } = this.parts;
    const [menu] = await database.select<Omit<MenuRecord, 'items'>>(
      'SELECT id, slug, name FROM portal_menus WHERE slug = ?',
      [slug],
    );
    if (!menu) throw new NotFoundError();
    const [rows, texts] = await Promise.all([
      database.select<ItemRow>(
        `SELECT id, parent_id AS parentId, position, label, url, route, visibility
         FROM portal_menu_items WHERE menu_id = ? AND visibility IN ('everyone', ?) ORDER BY position, id`,
        [menu.id, isSignedIn ? 'developers' : 'guests'],
      ),
      this.readTranslations(menu.id),
    ]);
    return { ...menu, items: tree(rows, texts, null, locale === this.parts.defaultLocale ? null : locale) };
  }

  /** Whether there is a menu of that name. */
  async exists(slug: string): Promise<boolean> {
    const rows = await this.parts.database.select('SELECT id FROM portal_menus WHERE slug = ?', [slug]);
    return rows.length > 0;
  }

  /** @throws ValidationError for a taken slug or an item that leads nowhere or to a script */
  async create(input: MenuInput): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      const now = clock.now();
      const { slug, name } = input;
      const row = await menuModel(database)
        .create({ slug, name, createdAt: now, updatedAt: now }, { transaction })
        .catch(refuseTakenSlug);
      const menu = { id: Number(row.id), slug, name };
      await this.createItems(menu.id, null, input.items, now, transaction);
      await events.emit(new MenuCreatedEvent({ menu, occurredAt: now }), transaction);
    });
  }

  private async createItems(
    menuId: number,
    parentId: number | null,
    items: readonly MenuItemInput[],
    now: Date,
    transaction: Transaction,
  ): Promise<void> {
    for (const [position, item] of items.entries()) {
      const { label, visibility, url = null, route = null } = item;
      requireTarget(item);
      const columns = { menuId, parentId, position, label, url, route, visibility, createdAt: now, updatedAt: now };
      const row = await menuItemModel(this.parts.database).create(columns, { transaction });
      const id = Number(row.id);
      for (const [locale, texts] of Object.entries(item.translations ?? {})) {
        await this.parts.database.execute(
          'INSERT INTO portal_menu_item_translations (menu_item_id, locale, label) VALUES (?, ?, ?)',
          [id, locale, texts.label],
          { transaction },
        );
      }
      await this.createItems(menuId, id, item.children ?? [], now, transaction);
    }
  }

  private async readTranslations(menuId: number): Promise<Map<number, ItemTexts>> {
    const rows = await this.parts.database.select<{ id: number; locale: string; label: string }>(
      `SELECT t.menu_item_id AS id, t.locale, t.label FROM portal_menu_item_translations t
       JOIN portal_menu_items i ON i.id = t.menu_item_id WHERE i.menu_id = ? ORDER BY t.locale`,
      [menuId],
    );
    const texts = new Map<number, ItemTexts>();
    for (const { id, locale, label } of rows) texts.set(id, { ...texts.get(id), [locale]: { label } });
    return texts;
  }
}

function tree(
  rows: readonly ItemRow[],
  texts: ReadonlyMap<number, ItemTexts>,
  parentId: number | null,
  locale: string | null,
): MenuItemRecord[] {
  return rows
    .filter((row) => row.parentId === parentId)
    .map((row) => {
      const translations = texts.get(row.id) ?? {};
      const local = locale !== null && Object.hasOwn(translations, locale) ? translations[locale] : undefined;
      const children = tree(rows, texts, row.id, locale);
      return { ...row, label: local?.label ?? row.label, translations, children };
    });
}

function requireTarget({ label, url, route }: MenuItemInput): void {
  const good = url ? !route && SAFE_URL.test(url) : Boolean(route?.startsWith('/'));
  if (good) return;
  const fault = `"${label}" must have either a url (https, mailto or a path) or a route that begins with a slash.`;
  throw new ValidationError({ items: [fault] });
}

function refuseTakenSlug(error: unknown): never {
  if (!(error instanceof UniqueViolationError)) throw error;
  throw new ValidationError({ slug: ['This value is already taken by another menu.'] }, { cause: error });
}
