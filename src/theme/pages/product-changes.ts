import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import { NotFoundError } from '../../core/index.js';
import { changesAsAtom, changesAsMarkdown, type ChangesOrigin } from '../format/changes-feed.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { prefersMarkdown } from '../format/written-reference.js';
import { textFile } from '../negotiation.js';
import { definePage, type Download, View, type Visit } from '../page.js';
import { isNewSince, newSince, watchForm } from './change-notices.js';

const PER_PAGE = 20;
const MARKDOWN = 'text/markdown; charset=utf-8';
/** Entries of a feed and of the Markdown file, the latest; the pages have the others. */
const IN_FILE = 50;
const MOST_PAGES = 1_000;
const LATEST = {
  page: 1,
  perPage: IN_FILE,
  orderBy: 'published_at',
  direction: 'DESC',
  with: [],
  filters: [],
} as const;

type Guest = Visit<ConsumerActor | null>;

/** What changed in a product, as pages, as a feed and as Markdown, for whoever may see the product. */
export const productChangesPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/changes',
    audience: 'everyone',
    viewable: true,
    handle: async (visit: Guest) => (prefersMarkdown(visit.request) ? showMarkdown(visit) : showChanges(visit)),
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/changes.atom',
    audience: 'everyone',
    viewable: true,
    handle: async (visit: Guest) => {
      const { product, origin } = await openChanges(visit);
      const body = changesAsAtom(origin, await findLatest(visit, product));
      return textFile(visit.request, body, 'application/atom+xml; charset=utf-8');
    },
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/changes.md',
    audience: 'everyone',
    viewable: true,
    handle: showMarkdown,
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/changes/:entry',
    audience: 'everyone',
    viewable: true,
    handle: async (visit: Guest) => {
      const { product, origin } = await openChanges(visit);
      const [, id, ending] = /^([1-9]\d{0,14})(\.md)?$/.exec(visit.params.entry ?? '') ?? [];
      if (id === undefined) throw new NotFoundError();
      const entry = await visit.services.catalog.changelog.findPublished(product, Number(id), visit.locale);
      if (ending !== undefined || prefersMarkdown(visit.request)) {
        return textFile(visit.request, changesAsMarkdown(origin, [entry]), MARKDOWN);
      }
      const markdownAddress = `${visit.prefix}/products/${product.slug}/changes/${entry.id}.md`;
      const heading = `${entry.name} · ${product.name}`;
      const options = { heading, description: entry.shortDescription, headers: { Vary: 'Accept' } };
      return new View('products/change', { product, entry, markdownAddress }, options);
    },
  }),
];

async function showChanges(visit: Guest): Promise<View> {
  const { services, request, locale, prefix } = visit;
  const { product, origin } = await openChanges(visit);
  const query = pageQuery(request, PER_PAGE, { orderBy: 'published_at', direction: 'DESC' });
  const page = await services.catalog.changelog.listPublished(product, query, locale);
  const address = `${prefix}/products/${product.slug}/changes`;
  const { actor } = visit;
  const since = await newSince(visit, product);
  const isNew = isNewSince(since);
  const news = since && (await services.visits.count(product, since, locale));
  const watch = actor && (await watchForm({ ...visit, actor }, product));
  return new View(
    'products/changes',
    {
      ...{ product, watch, paging: pageLinks(request, page) },
      ...{ since, news, entries: page.items.map((entry) => ({ ...entry, isNew: isNew(entry.publishedAt) })) },
      ...{ feedAddress: `${address}.atom`, markdownAddress: `${address}.md` },
    },
    { heading: origin.title, headers: { Vary: 'Accept' } },
  );
}

async function showMarkdown(visit: Guest): Promise<Download> {
  const { product, origin } = await openChanges(visit);
  const asked = Math.trunc(Number(visit.request.query.get('page')?.at(-1) ?? 1));
  const page = asked >= 1 && asked <= MOST_PAGES ? asked : 1;
  const { changelog } = visit.services.catalog;
  const { items, total } = await changelog.listPublished(product, { ...LATEST, page }, visit.locale);
  const isMore = page * IN_FILE < (total ?? 0);
  const { next = '' } = await visit.words('agents');
  const further = isMore ? `\n[${next}](${origin.address}.md?page=${page + 1})\n` : '';
  return textFile(visit.request, changesAsMarkdown(origin, items) + further, MARKDOWN);
}

/** @throws NotFoundError for a product that is hidden from the reader */
async function openChanges(visit: Guest): Promise<{ product: ProductRecord; origin: ChangesOrigin }> {
  const { services, actor, locale, params, prefix } = visit;
  const product = await services.catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
  const messages = await visit.words('changes');
  const { baseUrl, name: author } = services.site.about;
  const origin = {
    address: `${baseUrl()}${prefix}/products/${encodeURIComponent(product.slug)}/changes`,
    title: `${product.name}: ${messages.title ?? ''}`,
    ...{ author, locale, since: product.createdAt },
    kindOf: (kind: string) => messages[kind] ?? kind,
  };
  return { product, origin };
}

async function findLatest({ services, locale }: Guest, product: ProductRecord) {
  return (await services.catalog.changelog.listPublished(product, LATEST, locale)).items;
}
