import { maskedKey, type OwnedAppView } from '../../domain/apps/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import { definePage, View, type Visit } from '../page.js';
import { baseAddress, firstPath } from '../spec-outline.js';
import { readSpec } from './catalog.js';

/** Apps of the reader that the page names; who has more finds them in the list of apps. */
const SHOWN_APPS = 5;
/** Where no document says where the API is. */
const EXAMPLE_BASE = 'https://api.example.com';
/** An address whose letters mean nothing to a shell: samples are pasted into one. */
const PLAIN_ADDRESS = /^https?:\/\/[\w.~:[\]%/-]+$/;

type AnyVisit = Visit<ConsumerActor | null>;

export const productPages = [
  definePage({ method: 'get', path: '/products/:slug', audience: 'everyone', handle: showProduct }),
];

async function showProduct({ services, actor, locale, params }: AnyVisit): Promise<View> {
  const product = await services.catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
  const [spec, held] = await Promise.all([
    product.specHash === null ? null : readSpec(services, product, actor),
    actor ? ownAccess(services, actor, product) : [],
  ]);
  const base = spec === null ? null : baseAddress(spec);
  const [ready] = held.filter(({ status }) => status === 'approved');
  return new View(
    'products/show',
    {
      product,
      hasSpec: product.specHash !== null,
      base,
      version: spec?.info?.version ?? null,
      isManual: product.approval === 'manual',
      isPrivate: product.visibility === 'private',
      held,
      ready,
      sample: sampleCall(base, spec === null ? '/' : firstPath(spec), ready?.key),
    },
    { heading: product.name, description: product.shortDescription },
  );
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

function accessOf({ app, credentials }: OwnedAppView, slug: string) {
  const keys = (credentials ?? []).flatMap(({ keyHint, status: keyStatus, replacedBy, products }) => {
    const grant = products.find((product) => product.slug === slug);
    if (!grant || replacedBy !== null || (keyStatus !== 'approved' && keyStatus !== 'pending')) return [];
    const isOpen = app.status === 'approved' && keyStatus === 'approved' && grant.status === 'approved';
    return [{ key: maskedKey(keyHint), status: isOpen ? 'approved' : leastOf(app.status, keyStatus, grant.status) }];
  });
  const best = keys.find(({ status }) => status === 'approved') ?? keys[0];
  return best ? [{ name: app.name, displayName: app.displayName, ...best }] : [];
}

function leastOf(...statuses: readonly string[]): string {
  return statuses.includes('revoked') ? 'revoked' : 'pending';
}

/** How to call it, with the key out of a variable: a sample that is copied must not need the key inside of it. */
function sampleCall(base: string | null, path: string, key: string | undefined): string {
  const address = (base !== null && PLAIN_ADDRESS.test(base) ? base : EXAMPLE_BASE) + path;
  return [`export API_KEY="${key ?? 'YOUR_KEY'}"`, `curl ${address} \\`, '  -H "X-API-Key: $API_KEY"'].join('\n');
}
