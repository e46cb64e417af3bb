import { writeLlms } from '../../agents/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import type { ListQuery } from '../../core/index.js';
import { readCards, type ProductCard } from '../format/product-cards.js';
import { sampleCall } from '../format/sample-call.js';
import { createReading } from './for-agents.js';
import { definePage, View } from '../page.js';

const FEATURED = 6;
const CATEGORIES = 8;
const LONGEST_MARKDOWN = 100_000;
const queryFirst = (perPage: number): ListQuery => ({ page: 1, perPage, direction: 'DESC', with: [], filters: [] });

export const landingPages = [
  definePage({
    method: 'get',
    path: '/',
    audience: 'everyone',
    viewable: true,
    handle: async ({ services, actor, locale }) => {
      const { products, categories } = services.catalog;
      const viewer = viewerOf(actor);
      const [featured, groups] = await Promise.all([
        products.list(queryFirst(FEATURED), viewer, locale),
        categories.list({ ...queryFirst(CATEGORIES), orderBy: 'name', direction: 'ASC' }, viewer, locale),
      ]);
      const cards = await readCards(services.catalog, featured.items, viewer);
      const call = realCall(cards);
      const values = {
        hero: true,
        call,
        // For heroes that a host published.
        sample: call ? [call.text, call.answer].filter(Boolean).join('\n\n') : '',
        products: cards,
        categories: groups.items.filter(({ productsCount }) => productsCount > 0),
      };
      const { name } = services.site.about;
      return new View('landing', values, { linkedData: () => ({ '@type': 'WebSite', name }) });
    },
    // The first page leads on, as llms.txt does.
    markdown: async (visit) =>
      writeLlms(await createReading(visit), visit.services.site.about.agents?.maxLength ?? LONGEST_MARKDOWN),
  }),
];

/** A call from the document of a product that is shown, best with the example of its answer; null without one. */
function realCall(cards: readonly ProductCard[]) {
  const known = cards.filter(({ facts }) => facts?.base && facts.firstCall.anchor !== null);
  const chosen = known.find(({ facts }) => facts?.firstCall.answer) ?? known[0];
  if (!chosen?.facts) return null;
  const { base, firstCall } = chosen.facts;
  return {
    ...{ name: chosen.name, slug: chosen.slug, anchor: firstCall.anchor },
    text: sampleCall(base, firstCall, undefined).text,
    ...{ answer: firstCall.answer?.text ?? null, status: firstCall.answer?.status ?? null },
  };
}
