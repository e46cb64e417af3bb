import Joi from 'joi';
import { webhookDeliveryList } from '../../domain/webhooks/index.js';
import { mapPage } from '../../core/index.js';
import { paginated } from '../../http/index.js';
import { defineRoute } from '../define-route.js';
import { endpointRoute, findWebhook, webhookEntryPoints, type WebhookEntryPoint } from './webhook-entry-point.js';
import { presentAttempt, presentDelivery } from './webhook-presenter.js';
import {
  queuedReply,
  webhookAttemptsReply,
  webhookDeliveryParams,
  webhookDeliveryReply,
  webhookSinceBody,
  webhookTestBody,
} from './webhook-schema.js';

function messageRoutes(entryPoint: WebhookEntryPoint) {
  const { operation, may, errorsOf } = entryPoint;
  const one = endpointRoute(entryPoint);
  const delivery = {
    ...{ ...one, path: `${one.path}/deliveries/:delivery`, params: entryPoint.paramsOf(webhookDeliveryParams) },
    find: findWebhook<{ readonly id: number; readonly delivery: number }>(entryPoint),
  } as const;
  return [
    defineRoute({
      ...{ ...one, ...may('view') },
      path: `${one.path}/deliveries`,
      method: 'get',
      operation: operation('listWebhookDeliveries'),
      summary: 'List what was sent to an endpoint in the last 30 days, newest first',
      list: webhookDeliveryList.options,
      reply: { 200: Joi.array().items(webhookDeliveryReply) },
      handle: async ({ services, found, list }) =>
        paginated(mapPage(await services.webhooks.endpoints.deliveries(found, list), presentDelivery)),
    }),
    defineRoute({
      ...{ ...delivery, ...may('view') },
      method: 'get',
      operation: operation('getWebhookDelivery'),
      summary: 'Show a message to an endpoint with each attempt',
      reply: { 200: webhookAttemptsReply },
      handle: async ({ services, found, params }) => {
        const read = await services.webhooks.endpoints.delivery(found, params.delivery);
        const attempts = read.attempts.map((attempt) => presentAttempt(attempt));
        return { ...presentDelivery(read), body: read.body, attempts };
      },
    }),
    defineRoute({
      ...{ ...delivery, ...may('update') },
      path: `${delivery.path}/resend`,
      method: 'post',
      operation: operation('resendWebhookDelivery'),
      summary: 'Send a message to an endpoint again',
      errors: errorsOf(409),
      reply: { 200: webhookDeliveryReply },
      handle: async ({ services, found, params }) =>
        presentDelivery(await services.webhooks.endpoints.resend(found, params.delivery)),
    }),
  ];
}

function sendingRoutes(entryPoint: WebhookEntryPoint) {
  const { operation, may, errorsOf } = entryPoint;
  const one = endpointRoute(entryPoint);
  return [
    defineRoute({
      ...{ ...one, ...may('update') },
      path: `${one.path}/test`,
      method: 'post',
      operation: operation('testWebhook'),
      summary: 'Send an example of an event to an endpoint',
      errors: errorsOf(409),
      body: webhookTestBody,
      reply: { 200: queuedReply },
      handle: async ({ services, found, body }) => {
        await services.webhooks.endpoints.test(found, body.type);
        return { messages: 1 };
      },
    }),
    defineRoute({
      ...{ ...one, ...may('update') },
      path: `${one.path}/recover`,
      method: 'post',
      operation: operation('recoverWebhook'),
      summary: 'Send again what was given up since a time, or until another',
      errors: errorsOf(409),
      body: webhookSinceBody,
      reply: { 200: queuedReply },
      handle: async ({ services, found, body }) => ({
        messages: await services.webhooks.endpoints.recover(found, spanOf(body)),
      }),
    }),
    defineRoute({
      ...{ ...one, ...may('update') },
      path: `${one.path}/replay`,
      method: 'post',
      operation: operation('replayWebhook'),
      summary: 'Send what happened since a time, or until another, and was never sent to the endpoint',
      description: 'What happened while it was off, or wanted fewer events. Nothing is sent twice by it.',
      errors: errorsOf(409),
      body: webhookSinceBody,
      reply: { 200: queuedReply },
      handle: async ({ services, found, body }) => ({
        messages: await services.webhooks.endpoints.replay(found, spanOf(body)),
      }),
    }),
  ];
}

const spanOf = ({ since, until = null }: { since: Date; until?: Date | null }) => ({ since, until });

export const webhookDeliveryRoutes = webhookEntryPoints.flatMap((entryPoint) => [
  ...messageRoutes(entryPoint),
  ...sendingRoutes(entryPoint),
]);
