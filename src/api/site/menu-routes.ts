import { menuList } from '../../domain/site/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { itemRoutes } from './menu-item-routes.js';
import { presentAdminMenu, presentMenu } from './menu-presenter.js';
import {
  adminMenuListReply,
  adminMenuReply,
  menuBody,
  menuIdParams,
  newMenuBody,
  menuParams,
  menuReply,
} from './menu-schema.js';

export const menuRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'optional',
    tag: 'Portal',
    method: 'get',
    path: '/menus/:slug',
    operation: 'getMenu',
    localized: true,
    summary: 'Show a menu',
    description: 'With the items for the caller: those for guests, or with a token those for developers.',
    params: menuParams,
    reply: { 200: menuReply },
    find: ({ services, actor, params, locale }) => services.site.menus.find(params.slug, actor !== null, locale),
    handle: ({ found }) => presentMenu(found),
  }),
];

const menus = { context: 'admin', tag: 'Menus', path: '/menus' } as const;
const one = {
  ...menus,
  path: '/menus/:menu',
  params: menuIdParams,
  find: ({ services, params }: PathContext<{ menu: number }>) => services.site.menus.get(params.menu),
} as const;

export const adminMenuRoutes = [
  defineRoute({
    ...menus,
    policy: ['view', 'menus'],
    method: 'get',
    operation: 'listMenus',
    summary: 'List menus',
    list: menuList.options,
    reply: { 200: adminMenuListReply },
    handle: async ({ services, list }) => paginated(mapPage(await services.site.menus.list(list), presentAdminMenu)),
  }),
  defineRoute({
    ...menus,
    policy: ['create', 'menus'],
    method: 'post',
    operation: 'createMenu',
    summary: 'Create a menu',
    body: newMenuBody,
    reply: { 201: adminMenuReply },
    handle: async ({ services, body }) => created(presentAdminMenu(await services.site.menus.create(body))),
  }),
  defineRoute({
    ...one,
    policy: ['view', 'menus'],
    method: 'get',
    operation: 'showMenu',
    summary: 'Show a menu with all its items',
    reply: { 200: adminMenuReply },
    handle: ({ found }) => presentAdminMenu(found),
  }),
  defineRoute({
    ...one,
    policy: ['update', 'menus'],
    method: 'put',
    operation: 'updateMenu',
    record: true,
    summary: 'Change a menu',
    body: menuBody,
    versioned: true,
    reply: { 200: adminMenuReply },
    handle: async ({ services, found, body, expected }) =>
      presentAdminMenu(await services.site.menus.update(found.id, body, expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'menus'],
    operation: 'deleteMenu',
    summary: 'Delete a menu with its items',
    handle: async ({ services, found, expected }) => {
      await services.site.menus.delete(found.id, expected);
      return ok({}, { message: 'Menu deleted.' });
    },
  }),
  ...itemRoutes,
];
