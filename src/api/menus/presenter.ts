import type { MenuItemRecord, MenuRecord } from '../../domain/site/index.js';

export function presentMenu({ id, slug, name, items }: MenuRecord) {
  return { id, slug, name, items: items.map(presentItem) };
}

interface PresentedItem extends Omit<MenuItemRecord, 'parentId' | 'children'> {
  readonly parent_id: number | null;
  readonly children: readonly PresentedItem[];
}

function presentItem(item: MenuItemRecord): PresentedItem {
  const { id, parentId, position, label, url, route, visibility, translations, children } = item;
  const presented = { id, parent_id: parentId, position, label, url, route, visibility, translations };
  return { ...presented, children: children.map(presentItem) };
}
