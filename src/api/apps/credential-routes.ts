import { credentialList } from '../../domain/apps/index.js';
import { created, ok, paginated } from '../../http/index.js';
import { mapPage } from '../../kernel/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { findOwnCredential } from './find-own.js';
import { presentCredential } from './presenter.js';
import {
  appParams,
  credentialListReply,
  credentialParams,
  credentialReply,
  newCredentialBody,
  rotationBody,
} from './schema.js';
import { themselves } from './themselves.js';

const credentials = { context: 'consumer', tag: 'Credentials' } as const;
const ofApp = { ...credentials, path: '/me/apps/:appName/credentials', params: appParams } as const;
const one = { ...credentials, path: '/me/apps/:appName/credentials/:id', params: credentialParams } as const;

export const credentialRoutes = [
  defineRoute({
    ...ofApp,
    method: 'get',
    operation: 'listCredentials',
    summary: 'List the credentials of an app',
    list: credentialList.options,
    reply: { 200: credentialListReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.apps.credentials.list(found, list), presentCredential)),
  }),
  defineRoute({
    ...ofApp,
    method: 'post',
    operation: 'createCredential',
    summary: 'Create a key for an app',
    description: 'The answer holds key and secret in full; other answers mask them.',
    body: newCredentialBody,
    reply: { 201: credentialReply },
    find: ({ services, actor, params }) => services.apps.apps.find(actor.user, params.appName),
    handle: async ({ services, actor, found, body }) => {
      const input = { products: body.products, expiresIn: body.expires_in };
      return created(presentCredential(await services.apps.credentials.create(found, input, themselves(actor))));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getCredential',
    summary: 'Show a credential',
    reply: { 200: credentialReply },
    find: findOwnCredential,
    handle: async ({ services, found }) => presentCredential(await services.apps.credentials.view(found)),
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operation: 'deleteCredential',
    summary: 'Delete a key',
    reply: { 200: emptyReply },
    find: findOwnCredential,
    handle: async ({ services, actor, found }) => {
      await services.apps.credentials.delete(found, themselves(actor));
      return ok({}, { message: 'Credential deleted.' });
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${one.path}/approve`,
    operation: 'approveCredential',
    summary: 'Take back the revocation of a key',
    description: 'What an admin revoked takes `apps.selfApproval` or an admin.',
    reply: { 200: credentialReply },
    find: findOwnCredential,
    handle: async ({ services, actor, found }) =>
      presentCredential(await services.apps.credentials.approve(found, themselves(actor))),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${one.path}/revoke`,
    operation: 'revokeCredential',
    summary: 'Revoke a key: it opens nothing from now on',
    reply: { 200: credentialReply },
    find: findOwnCredential,
    handle: async ({ services, actor, found }) =>
      presentCredential(await services.apps.credentials.revoke(found, themselves(actor))),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${one.path}/rotate`,
    operation: 'rotateCredential',
    summary: 'Replace a key',
    description:
      'The new key, in full in the answer, works at once with the same products; the old one works for `overlap` seconds.',
    body: rotationBody,
    reply: { 201: credentialReply },
    find: findOwnCredential,
    handle: async ({ services, actor, found, body }) => {
      const input = { overlap: body.overlap, expiresIn: body.expires_in };
      return created(presentCredential(await services.apps.rotation.rotate(found, input, themselves(actor))));
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${one.path}/reveal`,
    operation: 'revealCredential',
    summary: 'Show a key in full again',
    description: 'Takes a sign-in of the last 15 minutes. Every time is recorded.',
    reply: { 200: credentialReply },
    find: findOwnCredential,
    handle: async ({ services, actor, found }) => {
      services.auth.guard.requireRecentSignIn(actor);
      const credential = await services.apps.credentials.reveal(found, themselves(actor));
      return ok(presentCredential(credential), { headers: { 'Cache-Control': 'no-store' } });
    },
  }),
];
