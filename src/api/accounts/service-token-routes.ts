import Joi from 'joi';
import type { Clock } from '../../core/index.js';
import { mapPage } from '../../core/index.js';
import {
  SERVICE_TOKEN_LONGEST_S,
  serviceTokenList,
  stateOfToken,
  type ServiceTokenRecord,
} from '../../domain/rbac/index.js';
import { created, paginated } from '../../http/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { idParam, idReply, nameField, recordDeletion, referencesField, timestampReply } from '../fields.js';

const newTokenBody = Joi.object<{ name: string; permissions: (string | number)[]; expires_in?: number }>({
  name: nameField(100).required().description('Tells it from the others that work.').example('Payments CI'),
  permissions: referencesField(['portal.products.view', 'portal.products.update']).max(500).min(1).required(),
  expires_in: Joi.number()
    .integer()
    .min(60)
    .max(SERVICE_TOKEN_LONGEST_S)
    .description('Seconds. By default 90 days; at most 366.')
    .example(7_776_000),
}).label('NewServiceTokenInput');

const token = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('Payments CI'),
  permissions: Joi.array()
    .items(Joi.string())
    .required()
    .example(['portal.admin.access', 'portal.products.update', 'portal.products.view']),
  state: Joi.string().valid('active', 'expired', 'revoked').required(),
  ending: Joi.string().required().description('Last four characters of the token.').example('x7Qa'),
  created_by: idReply.allow(null).required().description('The admin who made it; null: the operator.'),
  expires_at: timestampReply.allow(null).required(),
  last_used_at: timestampReply.allow(null).required().description('To the minute.').example(null),
  revoked_at: timestampReply.allow(null).required().example(null),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});

const tokenReply = token.label('ServiceToken');
const toldReply = token
  .keys({
    token: Joi.string()
      .required()
      .description('Told once.')
      .example('portal_svc_mEkQ0Zp4uT1xw8sVbqf7cJ2hYd5rLn9aGo3iKt6XeQs'),
  })
  .label('ServiceTokenWithSecret');

const tokens = { context: 'admin', tag: 'Service tokens' } as const;
const one = {
  ...tokens,
  path: '/service-tokens/:id',
  params: Joi.object<{ id: number }>({ id: idParam }),
  find: ({ services, params }: PathContext<{ id: number }>) => services.administration.serviceTokens.find(params.id),
} as const;

const FRESH = 'Asks for a sign-in of the last 15 minutes, so that no token makes another.';

export const serviceTokenRoutes = [
  defineRoute({
    ...tokens,
    method: 'get',
    path: '/service-tokens',
    policy: ['view', 'service_tokens'],
    operation: 'listServiceTokens',
    summary: 'List service tokens',
    description: 'Permissions are always part of the record; `with=permissions` is taken and changes nothing.',
    list: serviceTokenList.options,
    reply: { 200: Joi.array().items(tokenReply) },
    handle: async ({ services, list }) =>
      paginated(
        mapPage(await services.administration.serviceTokens.list(list), (item) => present(item, services.clock)),
      ),
  }),
  defineRoute({
    ...tokens,
    method: 'post',
    path: '/service-tokens',
    policy: ['create', 'service_tokens'],
    operation: 'createServiceToken',
    summary: 'Create a service token',
    description:
      'A machine sends it as `Authorization: Bearer` to admin routes and may do there what the permissions say; ' +
      `\`portal.admin.access\` is always among them. Nobody gives what they do not hold (403). The token is told once. ${FRESH}`,
    body: newTokenBody,
    reply: { 201: toldReply },
    handle: async ({ services, actor, body: { expires_in: expiresIn, ...body } }) => {
      services.auth.guard.requireRecentSignIn(actor);
      const told = await services.administration.serviceTokens.create({ ...body, expiresIn }, actor);
      return created({ ...present(told.token, services.clock), token: told.secret });
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    policy: ['view', 'service_tokens'],
    operation: 'getServiceToken',
    summary: 'Show a service token',
    reply: { 200: tokenReply },
    handle: ({ services, found }) => present(found, services.clock),
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: '/service-tokens/:id/rotate',
    policy: ['update', 'service_tokens'],
    operation: 'rotateServiceToken',
    errors: [409],
    summary: 'Replace the token of a machine',
    description: `The earlier one is out at once. Refused with 403 for one that holds more than you do. ${FRESH}`,
    reply: { 200: toldReply },
    handle: async ({ services, actor, found }) => {
      services.auth.guard.requireRecentSignIn(actor);
      const told = await services.administration.serviceTokens.rotate(found.id, actor);
      return { ...present(told.token, services.clock), token: told.secret };
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    policy: ['delete', 'service_tokens'],
    operation: 'revokeServiceToken',
    summary: 'Revoke a service token for good',
    description:
      'It is out with the next request, on every replica. The list shows it as revoked, and its name is free.',
    handle: async ({ services, found, expected }) => {
      await services.administration.serviceTokens.revoke(found.id, expected);
      return {};
    },
  }),
];

function present(record: ServiceTokenRecord, clock: Pick<Clock, 'now'>) {
  const { id, name, permissions, ending } = record;
  return {
    ...{ id, name, permissions, state: stateOfToken(record, clock.now()), ending },
    created_by: record.createdBy,
    expires_at: record.expiresAt,
    last_used_at: record.lastUsedAt,
    revoked_at: record.revokedAt,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}
