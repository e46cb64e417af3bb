import { ok } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { findOwnCredential, findOwnGrant } from './find-own.js';
import { presentCredential } from './presenter.js';
import { addProductsBody, credentialParams, credentialReply, grantParams } from './schema.js';
import { themselves } from './themselves.js';

const PRODUCTS = '/me/apps/:appName/credentials/:id/products';
const one = {
  context: 'consumer',
  tag: 'Credentials',
  params: grantParams,
  reply: { 200: credentialReply },
} as const;

export const grantRoutes = [
  defineRoute({
    ...one,
    method: 'post',
    path: PRODUCTS,
    operation: 'addCredentialProducts',
    summary: 'Put products on a key',
    description: 'A product with manual approval waits as `pending`; one that is on the key already stays as it is.',
    params: credentialParams,
    body: addProductsBody,
    find: findOwnCredential,
    handle: async ({ services, actor, found, body }) =>
      presentCredential(await services.apps.grants.add(found, body.products, themselves(actor))),
  }),
  defineRoute({
    ...one,
    method: 'delete',
    path: `${PRODUCTS}/:product`,
    operation: 'removeCredentialProduct',
    summary: 'Take a product off a key',
    reply: { 200: emptyReply },
    find: findOwnGrant,
    handle: async ({ services, actor, found }) => {
      await services.apps.grants.remove(found, themselves(actor));
      return ok({}, { message: 'Product removed.' });
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${PRODUCTS}/:product/approve`,
    operation: 'approveCredentialProduct',
    summary: 'Take back the revocation of a product on a key',
    description: 'What somebody else revoked, or nobody approved yet, takes `apps.selfApproval` or an admin.',
    find: findOwnGrant,
    handle: async ({ services, actor, found }) =>
      presentCredential(await services.apps.grants.approve(found, themselves(actor))),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${PRODUCTS}/:product/revoke`,
    operation: 'revokeCredentialProduct',
    summary: 'Revoke a product on a key',
    find: findOwnGrant,
    handle: async ({ services, actor, found }) =>
      presentCredential(await services.apps.grants.revoke(found, themselves(actor))),
  }),
];
