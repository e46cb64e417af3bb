import Joi from 'joi';
import type { WebhookServices } from '../../domain/webhooks/index.js';
import { created, RawReply, type Endpoint } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { emptyReply } from '../fields.js';
import { describeWebhook } from './describe-webhooks.js';
import {
  endpointRoute,
  findOwner,
  webhookEntryPoints,
  type WebhookActor,
  type WebhookEntryPoint,
} from './webhook-entry-point.js';
import { presentEndpoints, presentOne } from './webhook-presenter.js';
import { webhookEventsReply, webhookRotationBody, webhookSchemas } from './webhook-schema.js';

const OVERLAP_S = 86_400;

function collectionRoutes(entryPoint: WebhookEntryPoint) {
  const { context, path, tag, operation, may, errorsOf } = entryPoint;
  const schemas = webhookSchemas[context === 'admin' ? 'admin' : 'consumer'];
  // Only paths of teams have some: the console makes a page for what has none.
  const params = entryPoint.params as Joi.ObjectSchema<object>;
  const all = { context, path, tag, params, find: findOwner(entryPoint), errors: errorsOf() } as const;
  return [
    defineRoute({
      ...{ ...all, ...may('view') },
      method: 'get',
      operation: operation('listWebhooks'),
      summary: 'List the endpoints that are told of events',
      reply: { 200: Joi.array().items(schemas.reply) },
      handle: async (input) => presentEndpoints(input, await input.services.webhooks.endpoints.list(input.found.owner)),
    }),
    defineRoute({
      ...{ ...all, ...may('create') },
      method: 'post',
      operation: operation('createWebhook'),
      summary: 'Add an endpoint that is told of events',
      description: 'It gets nothing before it is verified. The secret is told once.',
      errors: errorsOf(409),
      body: schemas.newBody,
      reply: { 201: schemas.replyWithSecret },
      handle: async ({ services, actor, found, body }) => {
        // Who is told when it fails; nobody reads the mail of a machine, or of the command line.
        const createdBy = actor.context === 'admin' && !actor.service && actor.id > 0 ? actor.id : null;
        const input = { ...body, ...termsOf(body) };
        const { endpoint, secret } = await services.webhooks.endpoints.create(
          input,
          found.owner,
          createdBy,
          developerOf(actor),
        );
        return created({ ...(await presentOne({ services, actor }, endpoint)), secret });
      },
    }),
    defineRoute({
      ...{ ...all, ...may('view') },
      path: entryPoint.eventsPath,
      method: 'get',
      operation: operation('listWebhookEvents'),
      summary: 'List the types of events that an endpoint can be told of, with an example of each',
      reply: { 200: webhookEventsReply },
      handle: ({ services, found }) =>
        services.webhooks.endpoints.types(found.owner).map((type) => describeWebhook(type)),
    }),
  ];
}

function endpointRoutes(entryPoint: WebhookEntryPoint) {
  const { context, operation, may, errorsOf } = entryPoint;
  const schemas = webhookSchemas[context === 'admin' ? 'admin' : 'consumer'];
  const one = endpointRoute(entryPoint);
  return [
    defineRoute({
      ...{ ...one, ...may('view') },
      method: 'get',
      operation: operation('getWebhook'),
      summary: 'Show an endpoint',
      reply: { 200: schemas.reply },
      handle: (input) => presentOne(input, input.found),
    }),
    defineRoute({
      ...{ ...one, ...may('update') },
      method: 'put',
      operation: operation('updateWebhook'),
      record: true,
      versioned: true,
      summary: 'Change an endpoint, or turn it off',
      errors: errorsOf(409),
      body: schemas.body,
      reply: { 200: schemas.reply },
      handle: async ({ services, actor, found, body: { enabled, ...input }, expected }) => {
        // The present state may be sent back as it was read.
        const isEnabled = enabled === (found.status === 'active') ? undefined : enabled;
        const wanted = { ...input, ...termsOf(input), isEnabled };
        const maker = developerOf(actor);
        return presentOne(
          { services, actor },
          await services.webhooks.endpoints.update(found, wanted, expected, maker),
        );
      },
    }),
    defineRoute({
      ...{ ...one, ...may('delete') },
      method: 'delete',
      operation: operation('deleteWebhook'),
      versioned: true,
      summary: 'Delete an endpoint, with what waits for it',
      reply: { 200: emptyReply },
      handle: async ({ services, found, expected }) => {
        await services.webhooks.endpoints.delete(found, expected);
        return {};
      },
    }),
  ];
}

function trustRoutes(entryPoint: WebhookEntryPoint) {
  const { context, operation, may, errorsOf } = entryPoint;
  const schemas = webhookSchemas[context === 'admin' ? 'admin' : 'consumer'];
  const one = endpointRoute(entryPoint);
  return [
    defineRoute({
      ...{ ...one, ...may('update') },
      path: `${one.path}/verify`,
      method: 'post',
      operation: operation('verifyWebhook'),
      summary: 'Send a challenge to an endpoint, which gets events once it echoes it',
      description:
        'The endpoint gets a signed message of the type `webhook.challenge` and answers 2xx with the JSON ' +
        '`{"challenge": …}` of its `data.challenge`, or with that text alone, within 15 seconds.',
      errors: errorsOf(409, 422, 429),
      reply: { 200: schemas.reply },
      handle: async ({ services, actor, found }) =>
        presentOne({ services, actor }, await services.webhooks.endpoints.verify(found)),
    }),
    defineRoute({
      ...{ ...one, ...may('update') },
      path: `${one.path}/rotate`,
      method: 'post',
      operation: operation('rotateWebhook'),
      summary: 'Give an endpoint another secret',
      description: 'The secret is told once. Meanwhile messages carry the signatures of both.',
      body: webhookRotationBody,
      reply: { 200: schemas.replyWithSecret },
      handle: async ({ services, actor, found, body }) => {
        const overlap = body.overlap ?? OVERLAP_S;
        const { endpoint, secret } = await services.webhooks.endpoints.rotate(found, overlap, developerOf(actor));
        return { ...(await presentOne({ services, actor }, endpoint)), secret };
      },
    }),
  ];
}

/** As the domain names them. */
function termsOf({ at_once: atOnce, ordered: isOrdered }: { at_once?: number | null; ordered?: boolean }) {
  return { atOnce, isOrdered };
}

/** Who is noted for an address, and as told a secret: no admin, whose endpoints are the operator's. */
function developerOf(actor: WebhookActor): number | null {
  return actor.context === 'consumer' ? actor.id : null;
}

export const webhookRoutes = webhookEntryPoints.flatMap((entryPoint) => [
  ...collectionRoutes(entryPoint),
  ...endpointRoutes(entryPoint),
  ...trustRoutes(entryPoint),
]);

/** Where receivers find the public keys of the signatures `v1a`, newest first: they share no secret with the portal. */
export function webhookKeysEndpoint(signatures: WebhookServices['signatures']): Endpoint {
  return {
    paths: ['/.well-known/webhooks-keys'],
    handle: ({ method }) => {
      if (method !== 'GET' && method !== 'HEAD') return Promise.resolve(new RawReply(405, '', { Allow: 'GET, HEAD' }));
      const body = JSON.stringify({ keys: signatures.publicKeys() });
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' };
      return Promise.resolve(new RawReply(200, body, headers));
    },
  };
}
