import { foldSpaces } from '../../core/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import type { Guide } from '../../domain/content/index.js';
import { changesAsAtom, type FeedEntry } from '../format/changes-feed.js';
import { pageLinks, pageQuery } from '../format/paging.js';
import { textFile } from '../negotiation.js';
import { definePage, View, type Visit } from '../page.js';
import { drawGuide, writeGuide } from './guides.js';

type Guest = Visit<ConsumerActor | null>;

const PER_PAGE = 12;
/** Entries of the feed, the latest; the pages have the others. */
const IN_FEED = 30;
const BY_DAY = { orderBy: 'published_at', direction: 'DESC' } as const;
const ONLY_NEWS = { field: 'kind', operator: 'eq', value: 'news' } as const;
const everyone = { method: 'get', audience: 'everyone', viewable: true } as const;

/** News of the portal, as pages, as Markdown and as an Atom feed. */
export const newsPages = [
  definePage({ ...everyone, path: '/news', handle: showNews, markdown: listAsMarkdown }),
  definePage({
    ...everyone,
    path: '/news.atom',
    handle: async (visit: Guest) => {
      const { title = '' } = await visit.words('news');
      const { baseUrl, name: author } = visit.services.site.about;
      const items = await findLatest(visit);
      const since = items.at(-1)?.createdAt ?? new Date(0);
      const origin = {
        ...{ address: addressOf(visit), title: `${author}: ${title}`, author, locale: visit.locale, since },
        kindOf: () => title,
      };
      const entries = await Promise.all(items.map((guide) => entryOf(visit, guide, baseUrl())));
      return textFile(visit.request, changesAsAtom(origin, entries), 'application/atom+xml; charset=utf-8');
    },
  }),
  definePage({
    ...everyone,
    path: '/news/:news',
    handle: showOne,
    markdown: async (visit: Guest) => writeGuide(visit, await findOne(visit)),
  }),
];

async function showNews(visit: Guest): Promise<View> {
  const { services, actor, locale, request, prefix } = visit;
  const query = pageQuery(request, PER_PAGE, BY_DAY);
  const page = await services.content.guides.list({ ...query, filters: [ONLY_NEWS] }, viewerOf(actor), locale);
  const { title = '' } = await visit.words('news');
  return new View(
    'news/list',
    { news: page.items, paging: pageLinks(request, page), feedAddress: `${prefix}/news.atom`, sheets: ['guides.css'] },
    { heading: title },
  );
}

async function showOne(visit: Guest): Promise<View> {
  const news = await findOne(visit);
  const { html } = await drawGuide(visit, news);
  return new View(
    'news/show',
    {
      news,
      article: { toHTML: () => html },
      sheets: ['guides.css', 'reference.css'],
      feedAddress: `${visit.prefix}/news.atom`,
    },
    {
      heading: news.name,
      description: news.shortDescription,
      linkedData: () => ({
        ...{ '@type': 'NewsArticle', headline: news.name, dateModified: news.updatedAt.toISOString() },
        ...(news.publishedAt && { datePublished: news.publishedAt.toISOString() }),
      }),
    },
  );
}

async function listAsMarkdown(visit: Guest): Promise<string> {
  const { title = '' } = await visit.words('news');
  const rows = (await findLatest(visit)).map(({ name, slug, shortDescription, publishedAt }) => {
    const day = publishedAt?.toISOString().slice(0, 10) ?? '';
    return `- ${day} [${foldSpaces(name)}](${addressOf(visit)}/${slug}.md)${shortDescription && `: ${foldSpaces(shortDescription)}`}`;
  });
  return `${[`# ${title}`, rows.join('\n')].filter(Boolean).join('\n\n')}\n`;
}

function findOne({ services, actor, locale, params }: Guest): Promise<Guide> {
  const place = { kind: 'news', productId: null } as const;
  return services.content.guides.findBySlug(place, params.news ?? '', viewerOf(actor), locale);
}

async function findLatest({ services, actor, locale }: Guest): Promise<readonly Guide[]> {
  const query = { page: 1, perPage: IN_FEED, ...BY_DAY, with: [], filters: [ONLY_NEWS] };
  return (await services.content.guides.list(query, viewerOf(actor), locale)).items;
}

async function entryOf(visit: Guest, guide: Guide, base: string): Promise<FeedEntry> {
  const { html } = await drawGuide(visit, guide);
  return {
    ...{ id: guide.slug, kind: 'news', version: null, name: guide.name, shortDescription: guide.shortDescription },
    ...{
      description: guide.description,
      publishedAt: guide.publishedAt ?? guide.createdAt,
      updatedAt: guide.updatedAt,
    },
    // Readers of feeds have no page around it.
    html: html.replaceAll(' href="/', ` href="${base}/`),
  };
}

function addressOf({ services, prefix }: Guest): string {
  return `${services.site.about.baseUrl()}${prefix}/news`;
}
