import { defineList } from '../../database/index.js';
import { MENU_FIELDS as m, SITE_DECODE, type MenuFacts } from './menu.js';

const columns = {
  id: { column: m.id, type: 'integer' },
  slug: { column: m.slug, type: 'string', unique: true },
  name: { column: m.name, type: 'string' },
  created_at: { column: m.createdAt, type: 'date' },
  updated_at: { column: m.updatedAt, type: 'date' },
} as const;

/** Menus as admins list them. */
export const menuList = defineList<MenuFacts>({
  name: 'menus',
  table: 'portal_menus',
  alias: 'm',
  columns: m,
  decode: SITE_DECODE,
  sorts: columns,
  filters: columns,
  search: [m.slug, m.name],
  relations: ['items'],
});
