import { credentialList } from '../../domain/apps/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { APP_ERRORS, type AppEntryPoint } from './entry-points.js';
import { approverOf, findApp, findCredential } from './find.js';
import { presentCredential } from './presenter.js';
import {
  credentialListReply,
  credentialReply,
  issuedCredentialReply,
  newCredentialBody,
  readProducts,
  rotationBody,
} from './schema.js';

/** The routes for the keys of apps at one entry point. */
export function credentialRoutesOf(entryPoint: AppEntryPoint) {
  return [
    ...collectionRoutes(entryPoint),
    ...recordRoutes(entryPoint),
    ...approvalRoutes(entryPoint),
    ...keyRoutes(entryPoint),
  ];
}

function collectionRoutes({ context, path, tags, params, ...entryPoint }: AppEntryPoint) {
  const common = { context, tag: tags.credentials, params: params.app } as const;
  const ofApp = { ...common, path: `${path}/:appName/credentials` } as const;
  return [
    defineRoute({
      ...ofApp,
      ...entryPoint.enter('view', findApp),
      method: 'get',
      budget: { gateway: 1 },
      operation: entryPoint.operation('listCredentials'),
      summary: 'List the credentials of an app',
      list: credentialList.options,
      reply: { 200: credentialListReply },
      handle: async ({ services, found, list }) =>
        paginated(mapPage(await services.apps.credentials.list(found, list), presentCredential)),
    }),
    defineRoute({
      ...ofApp,
      ...entryPoint.enter('createKey', findApp),
      method: 'post',
      operation: entryPoint.operation('createCredential'),
      errors: APP_ERRORS,
      summary: 'Create a key for an app',
      description: 'The answer holds key and secret in full; other answers mask them.',
      idempotent: true,
      body: newCredentialBody,
      reply: { 201: issuedCredentialReply },
      handle: async ({ services, actor, found, body }) => {
        const input = { products: readProducts(body.products), expiresIn: body.expires_in };
        return created(presentCredential(await services.apps.credentials.create(found, input, approverOf(actor))));
      },
    }),
  ];
}

function recordRoutes(entryPoint: AppEntryPoint) {
  const one = oneCredential(entryPoint);
  return [
    defineRoute({
      ...one,
      ...entryPoint.enter('view', findCredential),
      method: 'get',
      budget: { gateway: 1 },
      operation: entryPoint.operation('getCredential'),
      summary: 'Show a credential',
      reply: { 200: credentialReply },
      handle: async ({ services, found }) => presentCredential(await services.apps.credentials.view(found)),
    }),
    defineRoute({
      ...one,
      ...entryPoint.enter('deleteKey', findCredential),
      method: 'delete',
      operation: entryPoint.operation('deleteCredential'),
      errors: APP_ERRORS,
      summary: 'Delete a key',
      reply: { 200: emptyReply },
      handle: async ({ services, actor, found }) => {
        await services.apps.credentials.delete(found, approverOf(actor));
        return ok({}, { message: 'Credential deleted.' });
      },
    }),
  ];
}

function approvalRoutes(entryPoint: AppEntryPoint) {
  const one = oneCredential(entryPoint);
  const common = {
    ...{ ...one, ...entryPoint.enter('changeKey', findCredential), ...entryPoint.approval },
    method: 'post',
    reply: { 200: credentialReply },
  } as const;
  return [
    defineRoute({
      ...common,
      path: `${one.path}/approve`,
      operation: entryPoint.operation('approveCredential'),
      errors: APP_ERRORS,
      summary: entryPoint.context === 'admin' ? 'Approve a key' : 'Take back the revocation of a key',
      description: entryPoint.notes.approve,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.credentials.approve(found, approverOf(actor), body.reason)),
    }),
    defineRoute({
      ...common,
      path: `${one.path}/revoke`,
      operation: entryPoint.operation('revokeCredential'),
      errors: APP_ERRORS,
      summary: 'Revoke a key: it opens nothing from now on',
      description: entryPoint.notes.revoke,
      handle: async ({ services, actor, found, body }) =>
        presentCredential(await services.apps.credentials.revoke(found, approverOf(actor), body.reason)),
    }),
  ];
}

function keyRoutes(entryPoint: AppEntryPoint) {
  const one = oneCredential(entryPoint);
  return [
    defineRoute({
      ...one,
      ...entryPoint.enter('rotateKey', findCredential),
      method: 'post',
      path: `${one.path}/rotate`,
      operation: entryPoint.operation('rotateCredential'),
      errors: APP_ERRORS,
      summary: 'Replace a key',
      description:
        'The new key, in full in the answer, works at once with the same products; the old one works for `overlap` seconds.',
      idempotent: true,
      body: rotationBody,
      reply: { 201: issuedCredentialReply },
      handle: async ({ services, actor, found, body }) => {
        const input = { overlap: body.overlap, expiresIn: body.expires_in };
        return created(presentCredential(await services.apps.rotation.rotate(found, input, approverOf(actor))));
      },
    }),
    defineRoute({
      ...one,
      ...entryPoint.enter('revealKey', findCredential),
      method: 'post',
      path: `${one.path}/reveal`,
      operation: entryPoint.operation('revealCredential'),
      errors: APP_ERRORS,
      summary: 'Show a key in full again',
      description: 'Takes a sign-in of the last 15 minutes. Every time is recorded.',
      reply: { 200: issuedCredentialReply },
      handle: async ({ services, actor, found }) => {
        services.auth.guard.requireRecentSignIn(actor);
        const credential = await services.apps.credentials.reveal(found, approverOf(actor));
        return ok(presentCredential(credential), { headers: { 'Cache-Control': 'no-store' } });
      },
    }),
  ];
}

function oneCredential({ context, path, tags, params }: AppEntryPoint) {
  const where = { path: `${path}/:appName/credentials/:id`, params: params.credential } as const;
  return { context, tag: tags.credentials, ...where } as const;
}
