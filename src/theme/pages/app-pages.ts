import { requireAppTexts } from '../../domain/apps/index.js';
import { field, listField } from '../form.js';
import { definePage, Redirect, View, type FormState } from '../page.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { requireFields } from './account-forms.js';
import { inTheirLanguage } from './local-names.js';
import {
  listChoosableProducts,
  leadToKey,
  ownApp,
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

export const appPages = [
  definePage({
    method: 'get',
    path: '/apps',
    audience: 'developers',
    viewable: true,
    budget: ONE_CALL,
    handle: listApps,
  }),
  definePage({
    method: 'get',
    path: '/apps/create',
    audience: 'developers',
    viewable: true,
    budget: { gateway: 0 },
    handle: (visit) => {
      const chosen = visit.request.query.get('product') ?? [];
      return showForm(visit, { ...BLANK, old: { products: chosen } });
    },
  }),
  definePage({ method: 'post', path: '/apps', audience: 'developers', handle: createApp, retry: showForm }),
  definePage({
    method: 'get',
    path: '/apps/:appName',
    audience: 'developers',
    viewable: true,
    budget: ONE_CALL,
    handle: async (visit) => showApp(visit, await ownApp(visit), { opened: await takeShownKey(visit) }),
  }),
  definePage({
    method: 'post',
    path: '/apps/:appName',
    audience: 'developers',
    handle: async (visit) => {
      const { services, actor, params } = visit;
      const owned = await ownApp(visit);
      const texts = textsOf(visit);
      requireAppTexts(texts);
      await services.apps.apps.update(owned, texts, asApprover(actor));
      return new Redirect(`/apps/${encodeURIComponent(params.appName ?? '')}`, 'app-saved');
    },
    retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
  }),
  definePage({
    method: 'post',
    path: '/apps/:appName/delete',
    audience: 'developers',
    handle: async (visit) => {
      await visit.services.apps.apps.delete(await ownApp(visit), asApprover(visit.actor));
      return new Redirect('/apps', 'app-deleted');
    },
    retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
  }),
  ...(['approve', 'revoke'] as const).map((act) =>
    definePage({
      method: 'post',
      path: `/apps/:appName/${act}`,
      audience: 'developers',
      handle: async (visit) => {
        await visit.services.apps.apps[act](await ownApp(visit), asApprover(visit.actor));
        return new Redirect(
          `/apps/${encodeURIComponent(visit.params.appName ?? '')}`,
          act === 'approve' ? 'app-approved' : 'app-revoked',
        );
      },
      retry: async (visit, state) => showApp(visit, await ownApp(visit), { state }),
    }),
  ),
];

async function listApps(visit: DeveloperVisit): Promise<View> {
  const { services, actor, request } = visit;
  const query = pageQuery(request, PER_PAGE, { orderBy: 'name', direction: 'ASC', with: ['credentials', 'products'] });
  const page = await services.apps.apps.list(actor.user, query);
  return new View(
    'apps/index',
    { apps: await inTheirLanguage(visit, page.items), paging: pageLinks(request, page) },
    { title: 'apps.title' },
  );
}

async function showForm(visit: DeveloperVisit, state: FormState): Promise<View> {
  const { errors, problem, old, status, retryAfter } = state;
  const products = await listChoosableProducts(visit);
  const chosen = [old.products ?? []].flat();
  return new View(
    'apps/create',
    { products, chosen, errors, problem, retryAfter, old, isPending: visit.actor.user.status !== 'active' },
    { title: 'apps.create.title', status },
  );
}

async function createApp(visit: DeveloperVisit) {
  const { services, actor, request } = visit;
  const { apps } = services.apps;
  const texts = textsOf(visit);
  const typed = field(request, 'name').trim();
  if (typed === '') requireFields(request, ['display_name']);
  requireAppTexts({ ...texts, name: typed || undefined });
  const name = typed || (await apps.nameFor(actor.user, texts.displayName ?? ''));
  const input = { ...texts, name, products: withPlans(request, listField(request, 'products')) };
  const { app, credentials } = await apps.create(actor.user, input, asApprover(actor));
  const [first] = credentials ?? [];
  return leadToKey(app.name, first, first ? 'key-created' : 'app-created');
}

function textsOf({ request }: DeveloperVisit) {
  return {
    displayName: field(request, 'display_name').trim() || undefined,
    description: field(request, 'description').trim(),
    callbackUrl: field(request, 'callback_url').trim() || null,
  };
}
