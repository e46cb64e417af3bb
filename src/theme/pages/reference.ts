import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { maskKey } from '../../domain/apps/index.js';
import { listOf } from '../format/operation-list.js';
import { readEndings, readOperationMarks } from '../format/operation-marks.js';
import { newSince } from './change-notices.js';
import { definePage, View, type PageOutcome, type Visit } from '../page.js';
import { markdownOf, operationsPath, prefersMarkdown } from '../format/written-reference.js';
import { downloadDocument, type Format } from './reference-document.js';
import { needsNoKey, openReference } from './reference-written.js';

type Guest = Visit<ConsumerActor | null>;

/** What the layout adds to a reference page. */
const REFERENCE_PARTS = { sheets: ['reference.css'], scripts: ['reference.js'] };

/** The reference of a product: a list of its operations, which a script turns into the whole. */
export const referencePages = [
  definePage({
    method: 'get',
    path: '/products/:slug/spec',
    audience: 'everyone',
    viewable: true,
    handle: showReference,
  }),
  // Where servers of APIs send people back to: its script hands the answer to the page that opened the window.
  definePage({
    method: 'get',
    path: '/oauth/callback',
    audience: 'everyone',
    handle: () =>
      Promise.resolve(
        new View(
          'oauth-callback',
          { scripts: ['oauth-callback.js'] },
          { title: 'oauth.title', headers: { 'Referrer-Policy': 'no-referrer' } },
        ),
      ),
  }),
];

async function showReference(visit: Guest): Promise<PageOutcome> {
  const { services, actor, locale, params, request } = visit;
  const { products, tryItOrigins } = services.catalog;
  const viewer = viewerOf(actor);
  const product = await products.find(params.slug ?? '', viewer, locale);
  const endings = await readEndings(visit, product);
  const show = (values: object) =>
    new View('products/spec', { product, versionEnding: endings.version, ...values }, { heading: product.name });
  if (product.version?.state === 'retired') return show({ state: 'retired' });
  if (product.specHash === null) return show({ state: 'missing' });
  const format = request.query.get('download')?.at(-1);
  if (format === 'json' || format === 'yaml' || format === 'graphql')
    return downloadDocument(visit, product, format satisfies Format);
  if (prefersMarkdown(request)) return markdownOf((await openReference(visit)).document, [], request);
  const [index, keys, isKeyless, banners] = await Promise.all([
    products.readIndex(product, viewer),
    keysOf(visit, product),
    needsNoKey(visit, product),
    services.content.banners.listShown(product.id, locale),
  ]);
  if (!index) return show({ state: 'broken' });
  const marks = await readOperationMarks(visit, product, index, endings, await newSince(visit, product));
  const path = `${visit.prefix}/products/${product.address}/spec`;
  const page = Number(request.query.get('page')?.at(-1)) || 1;
  return new View(
    'products/spec',
    {
      ...{
        product,
        banners,
        versionEnding: endings.version,
        state: 'shown',
        outline: index.outline,
        ...REFERENCE_PARTS,
      },
      list: listOf(index.outline, page, operationsPath(path), marks),
      ...{ canonical: path, markdownAddress: `${path}.md` },
      settings: JSON.stringify({
        kind: 'product',
        pages: operationsPath(path),
        ...(services.site.about.agents === null && { isMarkdownOff: true }),
        origins: tryItOrigins,
        oauthCallback: `${visit.prefix}/oauth/callback`,
        proxied: services.apps.calls.settings.origins,
        isSignedIn: actor !== null,
        keys,
        isKeyless,
        marks,
      }),
      hash: index.hash,
    },
    {
      ...{ heading: product.name, description: product.shortDescription, connect: tryItOrigins },
      headers: { Vary: 'Accept' },
    },
  );
}

async function keysOf({ services, actor }: Guest, { id }: ProductRecord) {
  if (!actor) return [];
  const keys = await services.apps.credentials.listUsable(actor.id, id);
  return keys.map(({ keyHint, ...key }) => ({ ...key, hint: maskKey(keyHint) }));
}
