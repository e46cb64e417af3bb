import { fullName, type UserRecord } from '../../domain/accounts/index.js';
import type { AppTransfer } from '../../domain/apps/index.js';
import { NotFoundError, ValidationError } from '../../core/index.js';
import { field } from '../form.js';
import { definePage, Redirect, View, type FormState } from '../page.js';
import {
  APP_PLACES,
  asApprover,
  findAppsOwner,
  parseId,
  ownApp,
  placeOf,
  presentAppsOwner,
  type DeveloperVisit,
} from './show-app.js';

const OFFERED = '/app-transfers';

/** Apps that are handed over: offered on a page of the app, answered on a page of whoever may take them. */
export const appTransferPages = [
  definePage({ method: 'get', path: OFFERED, audience: 'developers', handle: (visit) => showOffers(visit) }),
  answerPage('accept', async (visit, id, receivers) => {
    const { owner, app } = await visit.services.apps.transfers.take(id, receivers, asApprover(visit.actor));
    const team = await visit.services.teams.teams.findByAccount(owner.id);
    const place = team ? `/teams/${team.id}/apps` : '/apps';
    return new Redirect(`${place}/${encodeURIComponent(app.name)}`, 'app-taken');
  }),
  answerPage('decline', async (visit, id, receivers) => {
    const { transfers } = visit.services.apps;
    await transfers.end(await transfers.find(id, receivers), asApprover(visit.actor), 'declined');
    return new Redirect(OFFERED, 'app-declined');
  }),
  ...APP_PLACES.flatMap((place) => offerPages(`${place}/:appName/transfer`)),
];

function answerPage(
  act: 'accept' | 'decline',
  answer: (visit: DeveloperVisit, id: number, receivers: readonly number[]) => Promise<Redirect>,
) {
  return definePage({
    method: 'post',
    path: `${OFFERED}/:transfer/${act}`,
    audience: 'developers',
    handle: async (visit) => {
      const { services, actor, params } = visit;
      const receivers = await services.teams.recipients.accountsOf(actor.id, 'app.create');
      return answer(visit, parseId(params.transfer), receivers);
    },
    retry: showOffers,
  });
}

function offerPages(path: string) {
  return [
    definePage({
      method: 'get',
      path,
      audience: 'developers',
      budget: { gateway: 0 },
      handle: (visit) => showForm(visit),
    }),
    definePage({
      method: 'post',
      path,
      audience: 'developers',
      handle: async (visit) => {
        const { services, actor } = visit;
        const owned = await ownApp(visit, 'app.transfer');
        const to = await services.teams.recipients.newOwner(actor.id, owned.owner.id, readChosenOwner(visit));
        await services.apps.transfers.offer(owned, to, asApprover(actor));
        return new Redirect(`${placeOf(visit)}/${encodeURIComponent(owned.app.name)}/transfer`, 'app-offered');
      },
      retry: showForm,
    }),
    definePage({
      method: 'post',
      path: `${path}/withdraw`,
      audience: 'developers',
      handle: async (visit) => {
        const { transfers } = visit.services.apps;
        const current = await transfers.current(await ownApp(visit, 'app.transfer'));
        if (!current) throw new NotFoundError();
        await transfers.end(current, asApprover(visit.actor), 'withdrawn');
        return new Redirect(
          `${placeOf(visit)}/${encodeURIComponent(visit.params.appName ?? '')}`,
          'app-offer-withdrawn',
        );
      },
      retry: showForm,
    }),
  ];
}

/** `team-4` or `user-7`. */
function readChosenOwner({ request }: DeveloperVisit): { team?: number; user?: number } {
  const [, kind, id] = /^(team|user)-([1-9]\d{0,14})$/.exec(field(request, 'to')) ?? [];
  if (id === undefined) throw new ValidationError({ to: ['Choose the new owner.'] });
  return kind === 'team' ? { team: Number(id) } : { user: Number(id) };
}

async function showForm(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { services, actor } = visit;
  const owned = await ownApp(visit, 'app.transfer');
  const current = await services.apps.transfers.current(owned);
  const whose = await findAppsOwner(visit);
  const { teams, people } = await services.teams.recipients.newOwnersOf(actor.id, owned.owner.id);
  const known = whose.may('team.members.view') ? people : people.filter(({ id }) => id === actor.id);
  const { errors = {}, problem = null, old = {}, status = 200, retryAfter = null } = state ?? {};
  const values = {
    ...presentAppsOwner(whose),
    ...{
      app: owned.app,
      pausesKeys: await services.apps.transfers.pausesKeys(),
      offer: current && (await presentTransfer(visit, current)),
    },
    owners: [
      ...teams.map(({ id, name }) => ({ value: `team-${id}`, label: name })),
      ...known.map((user) => ({ value: `user-${user.id}`, label: nameOf(user) })),
    ],
    ...{ errors, problem, old, retryAfter },
  };
  return new View('apps/transfer', values, { title: 'transfers.title', status });
}

async function showOffers(visit: DeveloperVisit, state?: FormState): Promise<View> {
  const { errors = {}, problem = null, status = 200, retryAfter = null } = state ?? {};
  const values = { offers: await offersTo(visit), errors, problem, retryAfter };
  return new View('apps/offered', values, { title: 'transfers.offered', status });
}

/** Apps that the reader may take, for themselves or for a team: with what stands against it. */
export async function offersTo(visit: DeveloperVisit): Promise<object[]> {
  const { services, actor } = visit;
  const receivers = await services.teams.recipients.accountsOf(actor.id, 'app.create');
  const transfers = await services.apps.transfers.listFor(receivers);
  return Promise.all(transfers.map((transfer) => presentTransfer(visit, transfer)));
}

async function presentTransfer({ services, actor }: DeveloperVisit, transfer: AppTransfer) {
  const { id, app, owner, to, notAllowed, plansNotAllowed, isNameTaken, pausesKeys, createdAt } = transfer;
  const teams = await services.teams.teams.findByAccounts([owner.id, to.id]);
  const side = (account: UserRecord) => teams.get(account.id)?.name ?? nameOf(account);
  return {
    ...{ id, name: app.name, title: app.displayName, createdAt, notAllowed, plansNotAllowed, isNameTaken, pausesKeys },
    ...{ from: side(owner), to: to.id === actor.id ? null : side(to) },
    isFree: !isNameTaken && notAllowed.length + plansNotAllowed.length === 0,
  };
}

function nameOf(user: UserRecord): string {
  return fullName(user) || user.email;
}
