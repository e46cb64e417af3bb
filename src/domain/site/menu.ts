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

export interface MenuItemRecord {
  readonly id: number;
  readonly parentId: number | null;
  readonly position: number;
  /** In the reader's locale where translated. */
  readonly label: string;
  /** One of the two: an address, or a page of the theme relative to its prefix. */
  readonly url: string | null;
  readonly route: string | null;
  readonly visibility: ItemVisibility;
  readonly translations: Readonly<Record<string, { readonly label: string }>>;
  readonly children: readonly MenuItemRecord[];
}

export interface MenuRecord {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly items: readonly MenuItemRecord[];
}

export interface MenuItemInput {
  readonly label: string;
  readonly url?: string | null;
  readonly route?: string | null;
  readonly visibility: ItemVisibility;
  readonly translations?: Readonly<Record<string, { readonly label: string }>>;
  readonly children?: readonly MenuItemInput[];
}

export interface MenuInput {
  readonly slug: string;
  readonly name: string;
  /** In the order in which they are shown. */
  readonly items: readonly MenuItemInput[];
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
