import type Joi from 'joi';
import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { WebhookEndpoint, WebhookOwner } from '../../domain/webhooks/index.js';
import type { ErrorStatus, RouteContext } from '../../http/index.js';
import type { PathContext } from '../define-route.js';
import { teamParams } from '../teams/team-schema.js';
import { webhookParams } from './webhook-schema.js';

export type WebhookActor = ConsumerActor | AdminActor;
type Ability = 'view' | 'create' | 'update' | 'delete';

/** Where a request comes in: `team` in its path at the entry point of teams alone. */
type EntryPointRequest<Params = unknown> = PathContext<Params> & { readonly actor: WebhookActor };

/** One of the entry points to webhooks: the operator's, of all events, and those of a developer and a team, of those of their own apps. */
export interface WebhookEntryPoint {
  readonly context: RouteContext;
  readonly path: string;
  /** Where the types of events are listed. */
  readonly eventsPath: string;
  readonly tag: string;
  /** `listWebhooks` → `listOwnWebhooks`. */
  operation(name: string): string;
  may(ability: Ability): { readonly policy?: readonly [Ability, string] };
  /** Whose endpoints they are. @throws NotFoundError, ForbiddenError for a role without `webhooks.manage` */
  ownerOf(request: EntryPointRequest): Promise<WebhookOwner>;
  /** Path parameters of the entry point itself; undefined for none. */
  readonly params?: Joi.ObjectSchema<object>;
  /** Path parameters of a route, with those of the entry point. */
  paramsOf<Params>(params: Joi.ObjectSchema<Params>): Joi.ObjectSchema<Params>;
  /** Statuses of a route, with those of the entry point. */
  errorsOf(...statuses: ErrorStatus[]): ErrorStatus[];
}

export const webhookEntryPoints: readonly WebhookEntryPoint[] = [
  {
    ...{ context: 'consumer', path: '/me/webhooks', eventsPath: '/me/webhook-events', tag: 'Own webhooks' },
    operation: (name) => name.replace('Webhook', 'OwnWebhook'),
    may: () => ({}),
    ownerOf: ({ actor }) => Promise.resolve(actor.id),
    paramsOf: (params) => params,
    errorsOf: (...statuses) => statuses,
  },
  {
    ...{ context: 'consumer', path: '/me/teams/:team/webhooks', eventsPath: '/me/teams/:team/webhook-events' },
    ...{ tag: 'Webhooks of teams', params: teamParams },
    operation: (name) => name.replace('Webhook', 'TeamWebhook'),
    may: () => ({}),
    ownerOf: async ({ services, actor, params }) => {
      const { team } = params as { readonly team: number };
      return (await services.teams.teams.requireSeat(actor.id, team, 'webhooks.manage')).team.accountId;
    },
    paramsOf: (params) => params.concat(teamParams as never),
    errorsOf: (...statuses) => [403, ...statuses],
  },
  {
    ...{ context: 'admin', path: '/webhooks', eventsPath: '/webhook-events', tag: 'Webhooks' },
    operation: (name) => name,
    may: (ability) => ({ policy: [ability, 'webhooks'] }),
    ownerOf: () => Promise.resolve(null),
    paramsOf: (params) => params,
    errorsOf: (...statuses) => statuses,
  },
];

/** For routes of all endpoints: whose they are. */
export function findOwner(entryPoint: WebhookEntryPoint) {
  return async (request: EntryPointRequest): Promise<{ readonly owner: WebhookOwner }> => ({
    owner: await entryPoint.ownerOf(request),
  });
}

/** For routes of one. @throws NotFoundError, also for one of somebody else */
export function findWebhook<Params extends { readonly id: number }>(entryPoint: WebhookEntryPoint) {
  return async (request: EntryPointRequest<Params>): Promise<WebhookEndpoint> =>
    request.services.webhooks.endpoints.find(request.params.id, await entryPoint.ownerOf(request));
}

/** What all routes of one endpoint share. */
export function endpointRoute(entryPoint: WebhookEntryPoint) {
  const { context, path, tag } = entryPoint;
  const params = entryPoint.paramsOf(webhookParams);
  return {
    context,
    path: `${path}/:id`,
    tag,
    params,
    find: findWebhook(entryPoint),
    errors: entryPoint.errorsOf(),
  } as const;
}
