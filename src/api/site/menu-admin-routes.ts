import { menuList } from '../../domain/site/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { itemRoutes } from './menu-item-routes.js';
import { presentAdminMenu } from './menu-presenter.js';
import { adminMenuListReply, adminMenuReply, menuBody, menuIdParams, newMenuBody } from './menu-schema.js';

const menus = { context: 'admin', tag: 'Menus', path: '/menus' } as const;
const one = { ...menus, path: '/menus/:menu', params: menuIdParams } as const;

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
    find: ({ services, params }) => services.site.menus.get(params.menu),
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
    find: ({ services, params }) => services.site.menus.get(params.menu),
    handle: async ({ services, found, body, expected }) =>
      presentAdminMenu(await services.site.menus.update(found.id, body, expected)),
  }),
  defineRoute({
    ...one,
    policy: ['delete', 'menus'],
    method: 'delete',
    operation: 'deleteMenu',
    summary: 'Delete a menu with its items',
    versioned: true,
    reply: { 200: emptyReply },
    find: ({ services, params }) => services.site.menus.get(params.menu),
    handle: async ({ services, found, expected }) => {
      await services.site.menus.delete(found.id, expected);
      return ok({}, { message: 'Menu deleted.' });
    },
  }),
  ...itemRoutes,
];
