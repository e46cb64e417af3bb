import type { ListedMenu, MenuFacts, MenuItemRecord, MenuRecord } from '../../domain/site/index.js';

/** A menu as visitors get it. */
export function presentMenu({ id, slug, name, items }: MenuRecord) {
  return { id, slug, name, items: items.map(presentItem) };
}

/** A menu as admins get it. */
export function presentAdminMenu(menu: ListedMenu) {
  const { id, slug, name, items, createdAt, updatedAt }: MenuFacts & Pick<ListedMenu, 'items'> = menu;
  return {
    ...{ id, slug, name },
    ...(items ? { items: items.map(presentAdminItem) } : {}),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

interface PresentedItem {
  readonly id: number;
  readonly parent_id: number | null;
  readonly position: number;
  readonly label: string;
  readonly url: string | null;
  readonly route: string | null;
  readonly visibility: string;
  readonly translations: MenuItemRecord['translations'];
  readonly children: readonly PresentedItem[];
}

function presentItem(item: MenuItemRecord): PresentedItem {
  const { id, parentId, position, label, url, route, visibility, translations, children } = item;
  const presented = { id, parent_id: parentId, position, label, url, route, visibility, translations };
  return { ...presented, children: children.map(presentItem) };
}

interface PresentedAdminItem extends PresentedItem {
  readonly children: readonly PresentedAdminItem[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function presentAdminItem(item: MenuItemRecord): PresentedAdminItem {
  const children = item.children.map(presentAdminItem);
  return { ...presentItem(item), children, created_at: item.createdAt, updated_at: item.updatedAt };
}
