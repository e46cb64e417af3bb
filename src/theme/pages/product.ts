import { productMarkdown, readProductFacts } from '../../agents/index.js';
import { maskKey, productState, type OwnedAppView } from '../../domain/apps/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import {
  scopeText,
  viewerOf,
  type Deprecation,
  type ProductRecord,
  type SpecOutline,
  type ViewedProduct,
} from '../../domain/catalog/index.js';
import { withRefused } from '../../domain/usage/index.js';
import { PortalError } from '../../core/index.js';
import { usageChart } from '../format/usage-chart.js';
import { spanAt, USAGE_SPANS } from '../format/usage-range.js';
import { groupByTag } from '../format/operation-list.js';
import { sampleCall } from '../format/sample-call.js';
import { definePage, View, type Visit } from '../page.js';
import { isNewSince, newSince } from './change-notices.js';
import { createReading } from './for-agents.js';

/** Maximum number of the reader's apps shown; the list of apps has the others. */
const SHOWN_APPS = 5;
/** The reference has the others. */
const SHOWN_OPERATIONS = 12;
/** Latest changes on the page; the changelog has the others. */
const SHOWN_CHANGES = 3;
/** The navigation of any of them has the others. */
const SHOWN_GUIDES = 8;
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/;
const BY_TIME = { orderBy: 'published_at', direction: 'DESC', with: [], filters: [] } as const;
const LATEST_CHANGES = { ...BY_TIME, page: 1, perPage: SHOWN_CHANGES };
type AnyVisit = Visit<ConsumerActor | null>;

export const productPages = [
  definePage({
    method: 'get',
    path: '/products/:slug',
    audience: 'everyone',
    viewable: true,
    handle: showProduct,
    markdown: async (visit: AnyVisit) => {
      const reading = await createReading(visit);
      return productMarkdown(reading, await readProductFacts(reading, visit.params.slug ?? ''));
    },
  }),
];

async function showProduct(visit: AnyVisit): Promise<View> {
  const { services, actor, locale, params } = visit;
  const product = await services.catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
  const isRetired = product.version?.state === 'retired';
  const [outline, held, plans, usage, changes, guides, workflows, ending, banners, since] = await Promise.all([
    isRetired ? null : outlineOf(services, product, actor),
    actor ? ownAccess(services, actor, product) : [],
    services.catalog.offers.list(product.id, viewerOf(actor), locale),
    actor ? ownUsage(services, actor, product) : null,
    services.catalog.changelog.listPublished(product, LATEST_CHANGES, locale),
    services.content.guides.listEntries({ kind: 'guide', productId: product.id }, viewerOf(actor), locale),
    services.catalog.products.workflows.list(product),
    services.catalog.deprecations.listPublished(product),
    services.content.banners.listShown(product.id, locale),
    newSince(visit, product),
  ]);
  const titles = new Map(held.map(({ name, displayName }) => [name, displayName]));
  const [ready] = held.filter(({ status }) => status === 'approved');
  const isKeyless = product.visibility === 'public' && plans.some((plan) => plan.isKeyless);
  const sample = sampleOf(outline, isKeyless, ready?.key);
  return new View(
    'products/show',
    {
      // Without a description of the product, that of its document is used.
      product: { ...product, description: product.description || (outline?.description ?? '') },
      hasSpec: product.specHash !== null && product.version?.state !== 'retired',
      ...{ base: outline?.base ?? null, version: outline?.version ?? null },
      isManual: product.approval === 'manual',
      isPrivate: product.visibility === 'private',
      ...{ held, banners, changes: markNew(changes.items, since), guides: guides.slice(0, SHOWN_GUIDES) },
      workflows: workflows.slice(0, SHOWN_GUIDES),
      ...endingsOf(product, ending),
      // A link is one that a browser only follows.
      plans: plans.map((plan) => ({ ...plan, priceUrl: SAFE_LINK.test(plan.priceUrl ?? '') ? plan.priceUrl : null })),
      arePlansHeld: plans.length === 0 || (await services.apps.plans.areHeld()),
      ready,
      usage: usage && { ...usage, apps: usage.apps.map((app) => ({ ...app, displayName: titles.get(app.name) })) },
      format: outline?.format ?? null,
      // Only what is called by a request has one.
      sample: outline === null || outline.kind === 'openapi' ? sample.text : null,
      answer: outline?.firstCall.answer ?? null,
      firstAnchor: outline?.firstCall.anchor ?? null,
      operations: outline && {
        shown: groupByTag(outline.operations.slice(0, SHOWN_OPERATIONS)),
        count: outline.operations.length,
      },
      hasMore: (outline?.operations.length ?? 0) > SHOWN_OPERATIONS,
      isKeyless,
      isOpen: sample.takes === 'nothing',
      takesKey: sample.takes === 'key',
    },
    {
      heading: product.name,
      description: product.shortDescription,
      linkedData: (address) => ({
        '@type': 'WebAPI',
        provider: { '@type': 'Organization', name: services.site.about.name },
        ...(product.specHash !== null && { documentation: `${address}/spec` }),
      }),
    },
  );
}

/** Who has a key calls with it: its plan allows more. */
function sampleOf(outline: SpecOutline | null, isKeyless: boolean, key: string | undefined) {
  const documented = outline?.firstCall ?? null;
  const call = isKeyless && key === undefined ? { path: documented?.path ?? '/', proofs: [] } : documented;
  return sampleCall(outline?.base ?? null, call, key);
}

function markNew<T extends { readonly publishedAt: Date }>(changes: readonly T[], since: Date | null) {
  const isNew = isNewSince(since);
  return changes.map((entry) => ({ ...entry, isNew: isNew(entry.publishedAt) }));
}

/** Of the version that is shown, and of other parts: that of the whole stands above all. */
function endingsOf({ version }: ViewedProduct, all: readonly Deprecation[]) {
  const own = all.find((one) => version !== null && one.version === version.name && one.method === null);
  const named = all.map((one) => ({ ...one, name: scopeText(one) })).filter(({ name }) => name !== '');
  return { versionEnding: own ?? null, endings: named };
}

// The document's additions to this page are not worth failing for.
async function outlineOf(
  { catalog }: AnyVisit['services'],
  product: ProductRecord,
  actor: AnyVisit['actor'],
): Promise<SpecOutline | null> {
  if (product.specHash === null) return null;
  try {
    const index = await catalog.products.readIndex(product, viewerOf(actor));
    return index?.outline ?? null;
  } catch (error) {
    if (error instanceof PortalError && (error.status === 404 || error.status === 503)) return null;
    throw error;
  }
}

/** The reader's apps that hold the product, each with the key that does. */
async function ownAccess(services: AnyVisit['services'], { id }: ConsumerActor, product: ProductRecord) {
  const filters = [
    { field: 'user', operator: 'eq', value: id },
    { field: 'product', operator: 'eq', value: product.slug },
  ] as const;
  const query = { page: 1, perPage: SHOWN_APPS, orderBy: 'updated_at', direction: 'DESC', filters } as const;
  const { items } = await services.apps.directory.list({ ...query, with: ['credentials'] });
  return items.flatMap((view) => accessOf(view, product.slug));
}

/** How the reader's apps called the product in thirty days; null if they did not. */
async function ownUsage({ usage, clock }: AnyVisit['services'], { id }: ConsumerActor, product: ProductRecord) {
  const asked = { ...spanAt(USAGE_SPANS.month, clock.now()), userId: id, productId: product.id, viewerId: id };
  const { calls, points, shares } = await usage.reader.overview(asked, ['app']);
  if (calls === 0) return null;
  const apps = (shares.get('app')?.groups ?? []).flatMap(({ name, ...counts }) => {
    return name === null ? [] : [{ name, ...withRefused(counts) }];
  });
  return { calls, apps, chart: usageChart(points, { ...USAGE_SPANS.month, ticks: 3 }) };
}

function accessOf({ app, credentials }: OwnedAppView, slug: string) {
  const keys = (credentials ?? []).flatMap(({ keyHint, status: keyStatus, replacedBy, products }) => {
    const grant = products.find((product) => product.slug === slug);
    if (!grant || replacedBy !== null || (keyStatus !== 'approved' && keyStatus !== 'pending')) return [];
    const status = productState({ app: app.status, key: keyStatus }, grant.status);
    return [{ key: maskKey(keyHint), status }];
  });
  const best = keys.find(({ status }) => status === 'approved') ?? keys[0];
  return best ? [{ name: app.name, displayName: app.displayName, ...best }] : [];
}
