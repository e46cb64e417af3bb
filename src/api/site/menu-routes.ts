import { defineRoute } from '../define-route.js';
import { presentMenu } from './menu-presenter.js';
import { menuParams, menuReply } from './menu-schema.js';

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
