import Joi from 'joi';
import { appList, appDirectoryOptions, credentialDirectoryOptions } from '../../domain/apps/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage, ValidationError } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import {
  adminEntryPoint,
  adminTeamEntryPoint,
  APP_ERRORS,
  ownEntryPoint,
  teamEntryPoint,
  type AppEntryPoint,
} from './entry-points.js';
import { approverOf, findApp, findAppOwner } from './find.js';
import { newAppBody, listedAppListReply, listedCredentialListReply, readProducts } from './schema.js';
import { planRoutesOf, versionMoveRouteOf } from './plan-routes.js';
import { credentialRoutesOf } from './credential-routes.js';
import { grantRoutesOf } from './grant-routes.js';
import { overrideRoutesOf } from './override-routes.js';
import { quotaResetRoutesOf } from './quota-reset-routes.js';
import { presentListedApp, presentListedCredential } from './presenter.js';

const FIRST_KEY =
  'With products, `credentials[0]` holds the first key in full: it is not shown again by other answers.';

/** The routes for apps at one entry point. */
function appRoutesOf(entryPoint: AppEntryPoint) {
  return [...collectionRoutes(entryPoint), ...recordRoutes(entryPoint), ...approvalRoutes(entryPoint)];
}

function collectionRoutes({ context, path, tags, params, ...entryPoint }: AppEntryPoint) {
  const apps = { context, path, tag: tags.apps, params: params.owner } as const;
  return [
    defineRoute({
      ...apps,
      ...entryPoint.enter('view', findAppOwner),
      method: 'get',
      budget: { gateway: 1 },
      operation: entryPoint.operation('listApps'),
      summary: entryPoint.notes.list,
      list: appList.options,
      reply: { 200: Joi.array().items(entryPoint.appReplies.listed) },
      handle: async ({ services, found, list }) =>
        paginated(mapPage(await services.apps.apps.list(found, list), (view) => entryPoint.present(view))),
    }),
    defineRoute({
      ...apps,
      ...entryPoint.enter('create', findAppOwner),
      method: 'post',
      operation: entryPoint.operation('createApp'),
      errors: APP_ERRORS,
      summary: 'Create an app',
      description: [entryPoint.notes.create, FIRST_KEY].filter(Boolean).join(' '),
      idempotent: true,
      body: newAppBody,
      reply: { 201: entryPoint.appReplies.created },
      handle: async ({ services, actor, found, body }) => {
        const { name, display_name: displayName, description } = body;
        const products = body.products && readProducts(body.products);
        const input = { name, displayName, description, callbackUrl: body.callback_url, products };
        const expiresIn = body.expires_in;
        const app = await services.apps.apps.create(found, { ...input, expiresIn }, approverOf(actor));
        return created(await entryPoint.presentOne(services, app, found));
      },
    }),
  ];
}

function recordRoutes({ context, path, tags, params, ...entryPoint }: AppEntryPoint) {
  const one = { context, path: `${path}/:appName`, tag: tags.apps, params: params.app } as const;
  return [
    defineRoute({
      ...one,
      ...entryPoint.enter('view', findApp),
      method: 'get',
      budget: { gateway: 1 },
      operation: entryPoint.operation('getApp'),
      summary: 'Show an app',
      reply: { 200: entryPoint.appReplies.one },
      handle: async ({ services, found }) =>
        entryPoint.presentOne(services, await services.apps.apps.view(found), found.owner),
    }),
    defineRoute({
      ...one,
      ...entryPoint.enter('update', findApp),
      method: 'put',
      operation: entryPoint.operation('updateApp'),
      record: true,
      errors: APP_ERRORS,
      summary: 'Change an app',
      body: entryPoint.appBody,
      versioned: true,
      reply: { 200: entryPoint.appReplies.one },
      handle: async ({ services, actor, found, body, expected }) => {
        if (body.name !== undefined && body.name !== found.app.name) {
          throw new ValidationError({ name: ['The name of an app cannot be changed.'] });
        }
        const { display_name: displayName, description, callback_url: callbackUrl } = body;
        const products = body.products && readProducts(body.products);
        const input = { displayName, description, callbackUrl, products, expiresIn: body.expires_in };
        const app = await services.apps.apps.update(found, input, approverOf(actor), expected);
        return entryPoint.presentOne(services, app, found.owner);
      },
    }),
    defineRoute({
      ...one,
      ...entryPoint.enter('delete', findApp),
      method: 'delete',
      operation: entryPoint.operation('deleteApp'),
      errors: APP_ERRORS,
      summary: 'Delete an app with its keys',
      reply: { 200: emptyReply },
      handle: async ({ services, actor, found }) => {
        await services.apps.apps.delete(found, approverOf(actor));
        return ok({}, { message: 'App deleted.' });
      },
    }),
  ];
}

function approvalRoutes({ context, path, tags, params, ...entryPoint }: AppEntryPoint) {
  const common = {
    ...{ context, tag: tags.apps, params: params.app, find: findApp },
    ...{ ...entryPoint.enter('update', findApp), ...entryPoint.approval },
    method: 'post',
    reply: { 200: entryPoint.appReplies.one },
  } as const;
  return [
    defineRoute({
      ...common,
      path: `${path}/:appName/approve`,
      operation: entryPoint.operation('approveApp'),
      errors: APP_ERRORS,
      summary: context === 'admin' ? 'Approve an app' : 'Take back the revocation of an app',
      description: entryPoint.notes.approve,
      handle: async ({ services, actor, found, body }) => {
        const app = await services.apps.apps.approve(found, approverOf(actor), body.reason);
        return entryPoint.presentOne(services, app, found.owner);
      },
    }),
    defineRoute({
      ...common,
      path: `${path}/:appName/revoke`,
      operation: entryPoint.operation('revokeApp'),
      errors: APP_ERRORS,
      summary: 'Revoke an app: none of its keys opens anything',
      description: entryPoint.notes.revoke,
      handle: async ({ services, actor, found, body }) => {
        const app = await services.apps.apps.revoke(found, approverOf(actor), body.reason);
        return entryPoint.presentOne(services, app, found.owner);
      },
    }),
  ];
}

const listAllApps = defineRoute({
  context: 'admin',
  tag: 'Apps of developers',
  policy: ['view', 'apps'],
  method: 'get',
  path: '/apps',
  operation: 'listAllApps',
  summary: 'List the apps of all developers',
  description:
    'The approval queue: `filters={"status":"pending"}` finds apps that wait, `filters={"waiting":true}` also those with a ' +
    'key or a product on a key that waits. `user` takes the id of a developer or of the account of a team, `email` their address, `team` the name of a team, `product` slugs.',
  list: appDirectoryOptions,
  budget: { gateway: 1 },
  reply: { 200: listedAppListReply },
  handle: async ({ services, list }) => {
    const page = await services.apps.directory.list(list);
    const owners = page.items.flatMap(({ owner }) => (owner?.kind === 'team' ? [owner.id] : []));
    const teams = await services.teams.teams.findByAccounts(owners);
    return paginated(mapPage(page, (view) => presentListedApp(view, teams.get(view.app.userId))));
  },
});

const listAllCredentials = defineRoute({
  context: 'admin',
  tag: 'Credentials of developers',
  policy: ['view', 'apps'],
  method: 'get',
  path: '/credentials',
  operation: 'listAllCredentials',
  summary: 'List the keys of all developers',
  description:
    '`filters={"ending":"x3Qa"}` finds keys by their last four characters, as they are written. `status` takes `pending`, ' +
    '`approved`, `revoked` and `expired`, `user` the id of a developer, `product` the id of a product that is approved on ' +
    'the key, and `replaced` whether a rotation has replaced it. `outdated_plan` takes the slugs of plans of which the key ' +
    'has an older version.',
  list: credentialDirectoryOptions,
  reply: { 200: listedCredentialListReply },
  handle: async ({ services, list }) => {
    const page = await services.apps.credentialDirectory.list(list);
    const owners = page.items.flatMap(({ owner }) => (owner.kind === 'team' ? [owner.id] : []));
    const teams = await services.teams.teams.findByAccounts(owners);
    return paginated(mapPage(page, (view) => presentListedCredential(view, teams.get(view.owner.id))));
  },
});

const routesOf = (entryPoint: AppEntryPoint) => [
  ...appRoutesOf(entryPoint),
  ...credentialRoutesOf(entryPoint),
  ...grantRoutesOf(entryPoint),
  ...planRoutesOf(entryPoint),
];

const adminRoutesOf = (entryPoint: AppEntryPoint) => [
  ...routesOf(entryPoint),
  versionMoveRouteOf(entryPoint),
  ...overrideRoutesOf(entryPoint),
  ...quotaResetRoutesOf(entryPoint),
];

export const appRoutes = [
  ...routesOf(ownEntryPoint),
  listAllApps,
  listAllCredentials,
  ...adminRoutesOf(adminEntryPoint),
  ...routesOf(teamEntryPoint),
  ...adminRoutesOf(adminTeamEntryPoint),
];
