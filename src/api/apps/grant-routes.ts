import { ok } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findCredential, findGrant } from './find.js';
import { presentCredential } from './presenter.js';
import { addProductsBody, credentialReply } from './schema.js';

/** The routes for the products on keys at one entry point. */
export function grantRoutesOf(door: AppEntryPoint) {
  return [...membershipRoutes(door), ...approvalRoutes(door)];
}

function membershipRoutes(door: AppEntryPoint) {
  const { params, context } = door;
  const common = { context, tag: door.tags.credentials, ...door.may('update') } as const;
  return [
    defineRoute({
      ...common,
      method: 'post',
      path: productsPath(door),
      operation: door.operation('addCredentialProducts'),
      errors: APP_ERRORS,
      summary: 'Put products on a key',
      description: 'A product with manual approval waits as `pending`; one that is on the key already stays as it is.',
      params: params.credential,
      body: addProductsBody,
      reply: { 200: credentialReply },
      find: findCredential,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.add(found, body.products, approverOf(actor))),
    }),
    defineRoute({
      ...common,
      method: 'delete',
      path: `${productsPath(door)}/:product`,
      operation: door.operation('removeCredentialProduct'),
      errors: APP_ERRORS,
      summary: 'Take a product off a key',
      params: params.grant,
      reply: { 200: emptyReply },
      find: findGrant,
      handle: async ({ services, actor, found }) => {
        await services.apps.grants.remove(found, approverOf(actor));
        return ok({}, { message: 'Product removed.' });
      },
    }),
  ];
}

function approvalRoutes(door: AppEntryPoint) {
  const common = {
    ...{ context: door.context, tag: door.tags.credentials, params: door.params.grant, find: findGrant },
    ...{ ...door.may('update'), ...door.approval },
    method: 'post',
    reply: { 200: credentialReply },
  } as const;
  return [
    defineRoute({
      ...common,
      path: `${productsPath(door)}/:product/approve`,
      operation: door.operation('approveCredentialProduct'),
      errors: APP_ERRORS,
      summary:
        door.context === 'admin' ? 'Approve a product on a key' : 'Take back the revocation of a product on a key',
      description: door.notes.approve,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.approve(found, approverOf(actor), body.reason)),
    }),
    defineRoute({
      ...common,
      path: `${productsPath(door)}/:product/revoke`,
      operation: door.operation('revokeCredentialProduct'),
      errors: APP_ERRORS,
      summary: 'Revoke a product on a key',
      description: door.notes.revoke,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.revoke(found, approverOf(actor), body.reason)),
    }),
  ];
}

function productsPath({ path }: AppEntryPoint): string {
  return `${path}/:appName/credentials/:id/products`;
}
