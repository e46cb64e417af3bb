import { appList } from '../../domain/apps/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage, ValidationError } from '../../kernel/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { credentialRoutes } from './credential-routes.js';
import { grantRoutes } from './grant-routes.js';
import { presentApp } from './presenter.js';
import { appBody, appListReply, appParams, appReply, newAppBody } from './schema.js';
import { themselves } from './themselves.js';

const apps = { context: 'consumer', tag: 'Apps' } as const;
const oneApp = { ...apps, path: '/me/apps/:appName', params: appParams } as const;

export const appRoutes = [
  defineRoute({
    ...apps,
    method: 'get',
    path: '/me/apps',
    operation: 'listApps',
    summary: 'List own apps',
    list: appList.options,
    reply: { 200: appListReply },
    handle: async ({ services, actor, list }) =>
      paginated(mapPage(await services.apps.apps.list(actor.user, list), presentApp)),
  }),
  defineRoute({
    ...apps,
    method: 'post',
    path: '/me/apps',
    operation: 'createApp',
    summary: 'Create an app',
    description: 'With products, `credentials[0]` holds the first key in full: it is not shown again by other answers.',
    body: newAppBody,
    reply: { 201: appReply },
    handle: async ({ services, actor, body }) => {
      const { name, display_name: displayName, description, products } = body;
      const input = { name, displayName, description, callbackUrl: body.callback_url, products };
      const expiresIn = body.expires_in;
      const app = await services.apps.apps.create(actor.user, { ...input, expiresIn }, themselves(actor));
      return created(presentApp(app));
    },
  }),
  defineRoute({
    ...oneApp,
    method: 'get',
    operation: 'getApp',
    summary: 'Show an app',
    reply: { 200: appReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, found }) => presentApp(await services.apps.apps.view(found)),
  }),
  defineRoute({
    ...oneApp,
    method: 'put',
    operation: 'updateApp',
    summary: 'Change an app',
    body: appBody,
    versioned: true,
    reply: { 200: appReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, actor, found, body, expected }) => {
      if (body.name !== undefined && body.name !== found.app.name) {
        throw new ValidationError({ name: ['The name of an app cannot be changed.'] });
      }
      const { display_name: displayName, description, callback_url: callbackUrl } = body;
      const products = body.products?.map((product) => (typeof product === 'object' ? product.slug : product));
      const input = { displayName, description, callbackUrl, products, expiresIn: body.expires_in };
      return presentApp(await services.apps.apps.update(found, input, themselves(actor), expected));
    },
  }),
  defineRoute({
    ...oneApp,
    method: 'delete',
    operation: 'deleteApp',
    summary: 'Delete an app with its keys',
    reply: { 200: emptyReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, actor, found }) => {
      await services.apps.apps.delete(found, themselves(actor));
      return ok({}, { message: 'App deleted.' });
    },
  }),
  defineRoute({
    ...oneApp,
    method: 'post',
    path: '/me/apps/:appName/approve',
    operation: 'approveApp',
    summary: 'Take back the revocation of an app',
    description: 'What somebody else revoked, or nobody approved yet, takes `apps.selfApproval` or an admin.',
    reply: { 200: appReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, actor, found }) =>
      presentApp(await services.apps.apps.approve(found, themselves(actor))),
  }),
  defineRoute({
    ...oneApp,
    method: 'post',
    path: '/me/apps/:appName/revoke',
    operation: 'revokeApp',
    summary: 'Revoke an app: none of its keys opens anything',
    reply: { 200: appReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, actor, found }) => presentApp(await services.apps.apps.revoke(found, themselves(actor))),
  }),
  ...credentialRoutes,
  ...grantRoutes,
];
