import { created, ok } from '../../http/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { presentAdminItem } from './menu-presenter.js';
import { adminItemListReply, adminItemReply, itemBody, itemParams, menuIdParams, newItemBody } from './menu-schema.js';

const items = { context: 'admin', tag: 'Menus', path: '/menus/:menu/items', params: menuIdParams } as const;
const one = {
  ...items,
  path: '/menus/:menu/items/:item',
  params: itemParams,
  find: ({ services, params: { menu, item } }: PathContext<{ menu: number; item: number }>) =>
    services.site.menuItems.find(menu, item),
} as const;

/** Items belong to their menu: changing them requires permission on the menu. */
export const itemRoutes = [
  defineRoute({
    ...items,
    policy: ['view', 'menus'],
    method: 'get',
    operation: 'listMenuItems',
    summary: 'Show the items of a menu as a tree',
    description: 'All of them, whoever they are for, in the default locale.',
    reply: { 200: adminItemListReply },
    find: ({ services, params }) => services.site.menuItems.list(params.menu),
    handle: ({ found }) => found.map(presentAdminItem),
  }),
  defineRoute({
    ...items,
    policy: ['update', 'menus'],
    method: 'post',
    operation: 'createMenuItem',
    errors: [409],
    summary: 'Add an item to a menu',
    description: 'At `position` below `parent_id`, else at the end. A menu has at most 5 levels and 200 items.',
    body: newItemBody,
    reply: { 201: adminItemReply },
    find: ({ services, params }) => services.site.menus.get(params.menu),
    handle: async ({ services, found, body: { parent_id: parentId, ...item } }) =>
      created(presentAdminItem(await services.site.menuItems.create(found.id, { ...item, parentId }))),
  }),
  defineRoute({
    ...one,
    policy: ['view', 'menus'],
    method: 'get',
    operation: 'getMenuItem',
    summary: 'Show an item of a menu with what is below it',
    reply: { 200: adminItemReply },
    handle: ({ found }) => presentAdminItem(found),
  }),
  defineRoute({
    ...one,
    policy: ['update', 'menus'],
    method: 'put',
    operation: 'updateMenuItem',
    record: true,
    summary: 'Change or move an item of a menu',
    description:
      'With `parent_id` or `position` it moves, with all that is below it; the items around it make room and close gaps.',
    body: itemBody,
    versioned: true,
    reply: { 200: adminItemReply },
    handle: async ({ services, params, found, expected, body: { parent_id: parentId, ...item } }) =>
      presentAdminItem(await services.site.menuItems.update(params.menu, found.id, { ...item, parentId }, expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['update', 'menus'],
    operation: 'deleteMenuItem',
    summary: 'Take an item out of a menu, with all that is below it',
    handle: async ({ services, params, found, expected }) => {
      await services.site.menuItems.delete(params.menu, found.id, expected);
      return ok({}, { message: 'Menu item deleted.' });
    },
  }),
];
