import Joi from 'joi';
import { fullName, type UserRecord } from '../../domain/accounts/index.js';
import type { AppTransfer } from '../../domain/apps/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import type { PortalServices } from '../../domain/services.js';
import { created, ok } from '../../http/index.js';
import { ValidationError } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { emailField, emptyReply, idParam, idReply, timestampReply } from '../fields.js';
import {
  adminEntryPoint,
  adminTeamEntryPoint,
  APP_ERRORS,
  ownEntryPoint,
  teamEntryPoint,
  type AppEntryPoint,
} from './entry-points.js';
import { approverOf, findApp, type AppAct, type AppParams } from './find.js';
import { presentApp } from './presenter.js';
import { ownAppReplies } from './schema.js';

interface TransferParams {
  readonly transfer: number;
}

const side = Joi.object({
  team: Joi.object({ id: idReply.required(), name: Joi.string().required().example('Analytical Engines') })
    .allow(null)
    .required()
    .description('null: a person.'),
  full_name: Joi.string().allow('').required().example('Ada Lovelace'),
});

const transferReply = Joi.object({
  id: idReply.required(),
  app: Joi.object({
    name: Joi.string().required().example('checkout'),
    display_name: Joi.string().required().example('Checkout'),
  }).required(),
  from: side.required(),
  to: side.required(),
  not_allowed: Joi.array()
    .items(Joi.string().example('payments'))
    .required()
    .description('Slugs of products on its keys that the new owner may not use: they have to go before.')
    .example([]),
  plans_not_allowed: Joi.array()
    .items(Joi.object({ product: Joi.string().required(), plan: Joi.string().required() }))
    .required()
    .description('Plans on its keys that the new owner may not have, by slugs: another one has to be chosen before.')
    .example([]),
  name_taken: Joi.boolean().required().description('The new owner has an app of that name: one of them has to go.'),
  keys_pause: Joi.boolean()
    .required()
    .description(
      'The gateway takes the keys over one after another: each is away for a moment when the app is accepted.',
    )
    .example(false),
  created_at: timestampReply.required(),
}).label('AppTransfer');

const transferBody = Joi.object<{ team?: number; user?: number }>({
  team: idParam.optional().description('Id of a team that the caller is in.').example(4),
  user: idParam.optional().description('Id of the caller, or of a member of the team that owns the app.'),
})
  .xor('team', 'user')
  .label('AppTransferInput');

const transferId = idParam.description('Id of the offer.').example(2);

const findTransfer = async (
  request: PathContext<AppParams & TransferParams> & Parameters<typeof findApp>[0],
  act: AppAct,
) => request.services.apps.transfers.ofApp(await findApp(request, act), request.params.transfer);

function offerRoutes({ path, params, tags, ...entryPoint }: AppEntryPoint) {
  const common = {
    context: 'consumer',
    ...{ tag: tags.apps, path: `${path}/:appName/transfers`, params: params.app },
    errors: APP_ERRORS,
  } as const;
  const record = {
    ...{ ...common, path: `${common.path}/:transfer` },
    params: (params.app as Joi.ObjectSchema<AppParams & TransferParams>).keys({ transfer: transferId }),
  } as const;
  return [
    defineRoute({
      ...entryPoint.enter('transfer', findApp),
      ...common,
      method: 'post',
      operation: entryPoint.operation('offerAppTransfer'),
      summary: 'Offer an app to another owner',
      description:
        'From a person to a team that they are in and back, or from one of their teams to another. The app stays where it is until ' +
        'the other side accepts; its keys never change. An earlier offer of the app is dead.',
      body: transferBody,
      reply: { 201: transferReply },
      handle: async ({ services, actor, found, body }) => {
        const to = await services.teams.recipients.newOwner(actor.id, found.owner.id, body);
        return created(await present(services, await services.apps.transfers.offer(found, to, approverOf(actor))));
      },
    }),
    defineRoute({
      ...entryPoint.enter('view', findTransfer),
      ...record,
      method: 'get',
      operation: entryPoint.operation('getAppTransfer'),
      budget: { gateway: 0 },
      summary: 'Show to whom an app is offered',
      reply: { 200: transferReply },
      handle: ({ services, found }) => present(services, found),
    }),
    defineRoute({
      ...entryPoint.enter('transfer', findTransfer),
      ...record,
      method: 'delete',
      operation: entryPoint.operation('withdrawAppTransfer'),
      summary: 'Withdraw the offer of an app',
      reply: { 200: emptyReply },
      handle: async ({ services, actor, found }) => {
        await services.apps.transfers.end(found, approverOf(actor), 'withdrawn');
        return ok({}, { message: 'Offer withdrawn.' });
      },
    }),
  ];
}

const moveBody = Joi.object<{ team?: number; email?: string }>({
  email: emailField().description('Address of a developer.'),
  team: idParam.optional().description('Id of a team.').example(4),
})
  .xor('email', 'team')
  .label('AppMoveInput');

/** Admins hand an app over without asking: whoever gave it and whoever has it now are mailed. */
function moveRoute({ context, path, params, tags, ...entryPoint }: AppEntryPoint) {
  return defineRoute({
    ...entryPoint.enter('transfer', findApp),
    ...{ context, path: `${path}/:appName/move`, tag: tags.apps, params: params.app, errors: APP_ERRORS },
    method: 'post',
    operation: entryPoint.operation('moveApp'),
    summary: 'Give an app another owner, a developer or a team',
    description:
      'With its keys as they are. Refused for a new owner who has an app of that name, may not use what its keys hold, or has no room ' +
      'for it, and at a gateway that cannot move apps. An open offer of the app ends. Each key is away for a moment at a gateway that ' +
      'makes keys again, as Apigee does (`keys_pause` of offers).',
    body: moveBody,
    reply: { 200: entryPoint.appReplies.one },
    handle: async ({ services, actor, found, body }) => {
      const { owner, app } = await services.apps.transfers.move(
        found,
        await ownerIn(services, body),
        approverOf(actor),
      );
      return entryPoint.presentOne(services, await services.apps.apps.view({ app }), owner);
    },
  });
}

/** @throws NotFoundError for no team, ValidationError for nobody's address */
async function ownerIn({ teams, accounts }: PortalServices, { team, email = '' }: { team?: number; email?: string }) {
  if (team !== undefined) return teams.teams.accountOf(await teams.teams.find(team));
  const found = await accounts.users.findByEmail(email);
  if (found) return found.user;
  throw new ValidationError({ email: ['No developer has this address.'] });
}

const offered = { context: 'consumer', tag: 'Apps', path: '/me/app-transfers' } as const;
const one = {
  ...offered,
  params: Joi.object<TransferParams>({ transfer: transferId }),
  errors: APP_ERRORS,
  find: async ({ services, actor, params }: PathContext<TransferParams> & { readonly actor: ConsumerActor }) =>
    services.apps.transfers.find(params.transfer, await receiversOf(services, actor)),
} as const;

export const transferRoutes = [
  ...offerRoutes(ownEntryPoint),
  ...offerRoutes(teamEntryPoint),
  moveRoute(adminEntryPoint),
  moveRoute(adminTeamEntryPoint),
  defineRoute({
    ...offered,
    method: 'get',
    operation: 'listOwnAppTransfers',
    summary: 'List apps that are offered to the caller, or to teams where they may make apps',
    reply: { 200: Joi.array().items(transferReply) },
    handle: async ({ services, actor }) => {
      const transfers = await services.apps.transfers.listFor(await receiversOf(services, actor));
      return Promise.all(transfers.map((transfer) => present(services, transfer)));
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${offered.path}/:transfer/accept`,
    operation: 'acceptAppTransfer',
    summary: 'Accept an app, with its keys as they are',
    description:
      'Refused while `not_allowed`, `plans_not_allowed` or `name_taken` say what stands against it. Once more, by who accepted it, it ' +
      'answers the same while the app is where it went: so after an answer that was lost, or a gateway that failed on the way.',
    find: async ({ services, actor }) => ({ receivers: await receiversOf(services, actor) }),
    reply: { 200: ownAppReplies.one },
    handle: async ({ services, actor, found: { receivers }, params }) => {
      const { apps, transfers } = services.apps;
      return presentApp(await apps.view(await transfers.take(params.transfer, receivers, approverOf(actor))));
    },
  }),
  defineRoute({
    ...one,
    method: 'post',
    path: `${offered.path}/:transfer/decline`,
    operation: 'declineAppTransfer',
    summary: 'Decline an app',
    reply: { 200: emptyReply },
    handle: async ({ services, actor, found }) => {
      await services.apps.transfers.end(found, approverOf(actor), 'declined');
      return ok({}, { message: 'Offer declined.' });
    },
  }),
];

function receiversOf({ teams }: PortalServices, { id }: ConsumerActor): Promise<number[]> {
  return teams.recipients.accountsOf(id, 'app.create');
}

async function present({ teams }: PortalServices, transfer: AppTransfer) {
  const { id, app, owner, to, notAllowed, plansNotAllowed, isNameTaken, pausesKeys, createdAt } = transfer;
  const known = await teams.teams.findByAccounts([owner.id, to.id]);
  const sideOf = (account: UserRecord) => {
    const team = known.get(account.id);
    return { team: team ? { id: team.id, name: team.name } : null, full_name: fullName(account) };
  };
  return {
    ...{ id, app: { name: app.name, display_name: app.displayName } },
    ...{ from: sideOf(owner), to: sideOf(to), not_allowed: notAllowed, plans_not_allowed: plansNotAllowed },
    ...{ name_taken: isNameTaken, keys_pause: pausesKeys, created_at: createdAt },
  };
}
