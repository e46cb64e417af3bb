import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

export const ITEM_VISIBILITIES = ['everyone', 'guests', 'developers'] as const;
export type ItemVisibility = (typeof ITEM_VISIBILITIES)[number];

/** Locale → texts; the default locale is the item's own label. */
export type ItemTranslations = Readonly<Record<string, { readonly label: string }>>;

/** An item without what hangs on it. */
export interface MenuItemRow {
  readonly id: number;
  readonly parentId: number | null;
  /** Among the items of the same parent, from 0 and without gaps. */
  readonly position: number;
  /** For visitors in their locale where translated. */
  readonly label: string;
  /** One of the two: an address, or a page of the theme relative to its prefix. */
  readonly url: string | null;
  readonly route: string | null;
  readonly visibility: ItemVisibility;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface MenuItemRecord extends MenuItemRow {
  readonly translations: ItemTranslations;
  readonly children: readonly MenuItemRecord[];
}

/** A menu without its items. */
export interface MenuFacts {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Also moved by every change of its items. */
  readonly updatedAt: Date;
}

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
  /** In the order in which they are shown. */
  readonly items?: readonly MenuItemInput[];
}

/** Row of `portal_menus`. */
export interface Menu extends Model<InferAttributes<Menu>, InferCreationAttributes<Menu>> {
  id: CreationOptional<number>;
  slug: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
}

export const menuModel = defineModel<Menu>('Menu', 'portal_menus', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  slug: DataTypes.STRING(100),
  name: DataTypes.STRING(200),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Row of `portal_menu_items`. */
export interface MenuItem extends Model<InferAttributes<MenuItem>, InferCreationAttributes<MenuItem>> {
  id: CreationOptional<number>;
  menuId: number;
  parentId: number | null;
  position: number;
  label: string;
  url: string | null;
  route: string | null;
  visibility: ItemVisibility;
  createdAt: Date;
  updatedAt: Date;
}

export const menuItemModel = defineModel<MenuItem>('MenuItem', 'portal_menu_items', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  menuId: DataTypes.BIGINT,
  parentId: DataTypes.BIGINT,
  position: DataTypes.INTEGER,
  label: DataTypes.STRING(200),
  url: DataTypes.STRING(2048),
  route: DataTypes.STRING(255),
  visibility: DataTypes.STRING(16),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Field of a {@link MenuFacts} → SQL over the alias `m`. */
export const MENU_FIELDS = {
  id: 'm.id',
  slug: 'm.slug',
  name: 'm.name',
  createdAt: 'm.created_at',
  updatedAt: 'm.updated_at',
} as const satisfies Record<keyof MenuFacts, string>;

/** Field of a {@link MenuItemRow} → SQL over the alias `i`. */
export const ITEM_FIELDS = {
  id: 'i.id',
  parentId: 'i.parent_id',
  position: 'i.position',
  label: 'i.label',
  url: 'i.url',
  route: 'i.route',
  visibility: 'i.visibility',
  createdAt: 'i.created_at',
  updatedAt: 'i.updated_at',
} as const satisfies Record<keyof MenuItemRow, string>;

export const SITE_DECODE = { createdAt: 'date', updatedAt: 'date' } as const;
