import { ok } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findCredential, findGrant } from './find.js';
import { presentCredential } from './presenter.js';
import { addProductsBody, credentialReply, readProducts } from './schema.js';

/** The routes for the products on keys at one entry point. */
export function grantRoutesOf(entryPoint: AppEntryPoint) {
  return [...membershipRoutes(entryPoint), ...approvalRoutes(entryPoint)];
}

function membershipRoutes(entryPoint: AppEntryPoint) {
  const { params, context } = entryPoint;
  const common = { context, tag: entryPoint.tags.credentials } as const;
  return [
    defineRoute({
      ...common,
      ...entryPoint.enter('changeKey', findCredential),
      method: 'post',
      path: productsPath(entryPoint),
      operation: entryPoint.operation('addCredentialProducts'),
      errors: APP_ERRORS,
      summary: 'Put products on a key',
      description: 'A product with manual approval waits as `pending`; one that is on the key already stays as it is.',
      params: params.credential,
      body: addProductsBody,
      reply: { 200: credentialReply },
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.add(found, readProducts(body.products), approverOf(actor))),
    }),
    defineRoute({
      ...common,
      ...entryPoint.enter('changeKey', findGrant),
      method: 'delete',
      path: `${productsPath(entryPoint)}/:product`,
      operation: entryPoint.operation('removeCredentialProduct'),
      errors: APP_ERRORS,
      summary: 'Take a product off a key',
      params: params.grant,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, found }) => {
        await services.apps.grants.remove(found, approverOf(actor));
        return ok({}, { message: 'Product removed.' });
      },
    }),
  ];
}

function approvalRoutes(entryPoint: AppEntryPoint) {
  const common = {
    ...{ context: entryPoint.context, tag: entryPoint.tags.credentials, params: entryPoint.params.grant },
    ...{ ...entryPoint.enter('changeKey', findGrant), ...entryPoint.approval },
    method: 'post',
    reply: { 200: credentialReply },
  } as const;
  return [
    defineRoute({
      ...common,
      path: `${productsPath(entryPoint)}/:product/approve`,
      operation: entryPoint.operation('approveCredentialProduct'),
      errors: APP_ERRORS,
      summary:
        entryPoint.context === 'admin'
          ? 'Approve a product on a key'
          : 'Take back the revocation of a product on a key',
      description: entryPoint.notes.approve,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.approve(found, approverOf(actor), body.reason)),
    }),
    defineRoute({
      ...common,
      path: `${productsPath(entryPoint)}/:product/revoke`,
      operation: entryPoint.operation('revokeCredentialProduct'),
      errors: APP_ERRORS,
      summary: 'Revoke a product on a key',
      description: entryPoint.notes.revoke,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.grants.revoke(found, approverOf(actor), body.reason)),
    }),
  ];
}

function productsPath({ path }: AppEntryPoint): string {
  return `${path}/:appName/credentials/:id/products`;
}
