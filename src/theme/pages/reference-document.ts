import { isStoredSdl, viewerOf, type ViewedProduct } from '../../domain/catalog/index.js';
import { isHeld } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { definePage, Download, type Visit } from '../page.js';
import { serveIndex } from '../format/reference-data.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { field } from '../form.js';
import { asApprover } from './show-app.js';

type Guest = Visit<{ readonly id: number } | null>;

/** A GraphQL schema is sent as it is, whichever is asked for. */
export type Format = 'json' | 'yaml' | 'graphql';

const TYPES = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  graphql: 'application/graphql; charset=utf-8',
};

/** The fragments that the reference script requests; their URLs contain `hash`, so they may be cached. */
export const documentPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/spec/data/:hash/:part',
    audience: 'everyone',
    viewable: true,
    handle: async ({ services, actor, locale, params, request }: Guest) => {
      const { products } = services.catalog;
      const viewer = viewerOf(actor);
      const product = await products.find(params.slug ?? '', viewer, locale);
      if (product.specHash === null || product.specHash !== params.hash) throw new NotFoundError();
      const index = await products.readIndex(product, viewer);
      return serveIndex(index, params.part ?? '', request);
    },
  }),
];

/**
 * The stored document as a file; not sent to clients that have it already.
 * @throws NotFoundError
 */
export async function downloadDocument(
  { services, actor, request }: Guest,
  product: ViewedProduct,
  format: Format,
): Promise<Download> {
  const { products } = services.catalog;
  const tagOf = (hash: string) => `${hash}${format === 'yaml' ? '-yaml' : ''}`;
  const isKnown = isHeld(request.headers['if-none-match'], tagOf(product.specHash ?? ''));
  const { hash, document } = await products.spec(
    product.address,
    viewerOf(actor),
    isKnown ? (product.specHash ?? '') : '',
  );
  const common = { ETag: `"${tagOf(hash)}"`, 'Cache-Control': 'private, no-cache' };
  if (document === null) return new Download('', common, 304);
  const actual = isStoredSdl(document) ? 'graphql' : format === 'graphql' ? 'json' : format;
  const body = actual === 'yaml' ? await products.specAsYaml(document, hash) : document;
  return new Download(body, {
    ...common,
    'Content-Type': TYPES[actual],
    'Content-Disposition': `attachment; filename="${product.address}.${actual}"`,
  });
}

/** A developer's own key for trying the product, one at a time and under the same rules as on its page. */
export const keyPages = [
  definePage({
    method: 'post',
    path: '/products/:slug/spec/key',
    audience: 'developers',
    handle: async ({ services, actor, locale, params, request }: Visit<ConsumerActor>) => {
      const { catalog, apps, auth } = services;
      const product = await catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
      const usable = await apps.credentials.listUsable(actor.id, product.id);
      const chosen = usable.find(({ id }) => String(id) === field(request, 'credential'));
      if (!chosen) throw new NotFoundError();
      const owned = await apps.credentials.find(await apps.apps.find(actor.user, chosen.app), chosen.id);
      auth.guard.requireRecentSignIn(actor);
      const { key } = await apps.credentials.reveal(owned, asApprover(actor));
      return new Download(JSON.stringify({ key: key?.consumerKey ?? null }), {
        'Content-Type': 'application/json; charset=utf-8',
      });
    },
  }),
];
