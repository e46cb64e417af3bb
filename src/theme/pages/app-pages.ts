import { requireAppTexts } from '../../domain/apps/index.js';
import type { TeamAbility } from '../../domain/teams/index.js';
import { field, listField } from '../form.js';
import { definePage, Redirect, View, type FormState } from '../page.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { requireFields } from './account-forms.js';
import { offersTo } from './app-transfers.js';
import { localizeNames } from './local-names.js';
import {
  APP_PLACES,
  findAppsOwner,
  listChoosableProducts,
  leadToKey,
  ownApp,
  placeOf,
  listPlaces,
  presentAppsOwner,
  showApp,
  takeShownKey,
  withPlans,
  asApprover,
  type DeveloperVisit,
} from './show-app.js';

const PER_PAGE = 12;
/** Last uses of all keys in one query. */
const ONE_CALL = { gateway: 1 };
const BLANK: FormState = { errors: {}, problem: null, old: {}, status: 200, retryAfter: null };

/** Own apps, and those of teams. */
export const appPages = APP_PLACES.flatMap((place) => [...collectionPages(place), ...recordPages(place)]);

function collectionPages(place: string) {
  return [
    definePage({
      method: 'get',
      path: place,
      audience: 'developers',
      viewable: true,
      budget: ONE_CALL,
      handle: listApps,
    }),
    definePage({
      method: 'get',
      path: `${place}/create`,
      audience: 'developers',
      viewable: true,
      budget: { gateway: 0 },
      handle: async (visit) => {
        const chosen = visit.request.query.get('product') ?? [];
        return showForm(visit, { ...BLANK, old: { products: chosen } });
      },
    }),
    definePage({ method: 'post', path: place, audience: 'developers', handle: createApp, retry: showForm }),
  ];
}

function recordPages(place: string) {
  return [
    definePage({
      method: 'get',
      path: `${place}/:appName`,
      audience: 'developers',
      viewable: true,
      budget: ONE_CALL,
      handle: async (visit) => showApp(visit, await ownApp(visit), { opened: await takeShownKey(visit) }),
    }),
    definePage({
      method: 'post',
      path: `${place}/:appName`,
      audience: 'developers',
      handle: async (visit) => {
        const { services, actor } = visit;
        const owned = await ownApp(visit, 'app.update');
        const texts = textsOf(visit);
        requireAppTexts(texts);
        await services.apps.apps.update(owned, texts, asApprover(actor));
        return backToApp(visit, 'app-saved');
      },
      retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
    }),
    definePage({
      method: 'post',
      path: `${place}/:appName/delete`,
      audience: 'developers',
      handle: async (visit) => {
        await visit.services.apps.apps.delete(await ownApp(visit, 'app.delete'), asApprover(visit.actor));
        return new Redirect(placeOf(visit), 'app-deleted');
      },
      retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
    }),
    ...(['approve', 'revoke'] as const).map((act) =>
      definePage({
        method: 'post',
        path: `${place}/:appName/${act}`,
        audience: 'developers',
        handle: async (visit) => {
          await visit.services.apps.apps[act](await ownApp(visit, 'app.update'), asApprover(visit.actor));
          return backToApp(visit, act === 'approve' ? 'app-approved' : 'app-revoked');
        },
        retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
      }),
    ),
  ];
}

async function listApps(visit: DeveloperVisit): Promise<View> {
  const { services, request } = visit;
  const whose = await findAppsOwner(visit);
  const query = pageQuery(request, PER_PAGE, { orderBy: 'name', direction: 'ASC', with: ['credentials', 'products'] });
  const page = await services.apps.apps.list(whose.owner, query);
  return new View(
    'apps/index',
    {
      ...{ apps: await localizeNames(visit, page.items), paging: pageLinks(request, page) },
      ...{ ...presentAppsOwner(whose), teams: await otherPlaces(visit) },
      offers: await offersTo(visit),
    },
    { title: 'apps.title' },
  );
}

async function showForm(visit: DeveloperVisit, state: FormState): Promise<View> {
  const { errors, problem, old, status, retryAfter } = state;
  const whose = await findAppsOwner(visit, 'app.create');
  const products = await listChoosableProducts(visit, whose.owner);
  const chosen = [old.products ?? []].flat();
  return new View(
    'apps/create',
    {
      ...{ products, chosen, errors, problem, retryAfter, old, isPending: visit.actor.user.status !== 'active' },
      ...{ ...presentAppsOwner(whose), teams: await otherPlaces(visit, 'app.create') },
    },
    { title: 'apps.create.title', status },
  );
}

async function createApp(visit: DeveloperVisit) {
  const { services, actor, request } = visit;
  const { apps } = services.apps;
  const { owner } = await findAppsOwner(visit, 'app.create');
  const texts = textsOf(visit);
  const typed = field(request, 'name').trim();
  if (typed === '') requireFields(request, ['display_name']);
  requireAppTexts({ ...texts, name: typed || undefined });
  const name = typed || (await apps.nameFor(owner, texts.displayName ?? ''));
  const input = { ...texts, name, products: withPlans(request, listField(request, 'products')) };
  const { app, credentials } = await apps.create(owner, input, asApprover(actor));
  const [first] = credentials ?? [];
  return leadToKey(visit, first, first ? 'key-created' : 'app-created', app.name);
}

function textsOf({ request }: DeveloperVisit) {
  return {
    displayName: field(request, 'display_name').trim() || undefined,
    description: field(request, 'description').trim(),
    callbackUrl: field(request, 'callback_url').trim() || null,
  };
}

/** Where else the reader has apps, or may make one. */
async function otherPlaces({ services, actor, params }: DeveloperVisit, ability: TeamAbility = 'app.view') {
  return listPlaces(await services.teams.teams.seatsOf(actor.id), params.team ?? null, ability);
}

export function backToApp(visit: DeveloperVisit, flash: string): Redirect {
  return new Redirect(`${placeOf(visit)}/${encodeURIComponent(visit.params.appName ?? '')}`, flash);
}
