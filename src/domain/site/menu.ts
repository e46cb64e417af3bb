import { defineList, defineRecord, fieldOf, times, type OwnedRows, type RowOf } from '../../database/index.js';

export const ITEM_VISIBILITIES = ['everyone', 'guests', 'developers'] as const;
export type ItemVisibility = (typeof ITEM_VISIBILITIES)[number];

/** Locale → texts; the default locale is the item's own label. */
export type ItemTranslations = Readonly<Record<string, { readonly label: string }>>;

export const menuItemRecord = defineRecord({
  name: 'MenuItem',
  table: 'portal_menu_items',
  alias: 'i',
  fields: {
    id: fieldOf.id(),
    menuId: fieldOf.reference().hidden(),
    parentId: fieldOf.reference().nullable(),
    /** Among the items of the same parent, from 0 and without gaps. */
    position: fieldOf.integer(),
    /** Translated for visitors where possible. */
    label: fieldOf.text(200),
    /** One of the two: an address, or a page of the theme relative to its prefix. */
    url: fieldOf.text(2048).nullable(),
    route: fieldOf.text(255).nullable(),
    visibility: fieldOf.text<ItemVisibility>(16),
    ...times,
  },
});

export const ITEM_TRANSLATIONS: OwnedRows = { table: 'portal_menu_item_translations', owner: 'menu_item_id' };

/** An item without its translations and children. */
export type MenuItemRow = RowOf<typeof menuItemRecord>;

export interface MenuItemRecord extends MenuItemRow {
  readonly translations: ItemTranslations;
  readonly children: readonly MenuItemRecord[];
}

export const menuRecord = defineRecord({
  name: 'Menu',
  table: 'portal_menus',
  alias: 'm',
  noun: 'menu',
  fields: {
    id: fieldOf.id(),
    slug: fieldOf.text(100).unique(),
    name: fieldOf.text(200),
    createdAt: times.createdAt,
    /** Also updated by every change of its items. */
    updatedAt: times.updatedAt,
  },
});

/** A menu without its items. */
export type MenuFacts = RowOf<typeof menuRecord>;

export interface MenuRecord extends MenuFacts {
  readonly items: readonly MenuItemRecord[];
}

export interface MenuItemInput {
  readonly label: string;
  readonly url?: string | null;
  readonly route?: string | null;
  readonly visibility: ItemVisibility;
  readonly translations?: ItemTranslations;
  readonly children?: readonly MenuItemInput[];
}

export interface MenuInput {
  readonly slug: string;
  readonly name: string;
  /** In display order. */
  readonly items?: readonly MenuItemInput[];
}

/** Menus as admins list them. */
export const menuList = defineList<MenuFacts>(
  menuRecord.list({
    name: 'menus',
    sorts: ['id', 'slug', 'name', 'createdAt', 'updatedAt'],
    search: ['slug', 'name'],
    relations: ['items'],
  }),
);
