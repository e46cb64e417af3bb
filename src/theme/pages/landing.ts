import { viewerOf } from '../../domain/catalog/index.js';
import type { ListQuery } from '../../core/index.js';
import { definePage, View } from '../page.js';

const FEATURED = 6;
const CATEGORIES = 8;
const first = (perPage: number): ListQuery => ({ page: 1, perPage, direction: 'DESC', with: [], filters: [] });

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
        products.list(first(FEATURED), viewer, locale),
        categories.list({ ...first(CATEGORIES), orderBy: 'name', direction: 'ASC' }, viewer, locale),
      ]);
      return new View('landing', {
        hero: true,
        sample: sampleCall(featured.items[0]?.slug ?? 'weather'),
        products: featured.items,
        categories: groups.items.filter(({ productsCount }) => productsCount > 0),
      });
    },
  }),
];

function sampleCall(slug: string): string {
  return [
    `curl https://api.example.com/${slug}/v1 \\`,
    '  -H "X-API-Key: $API_KEY"',
    '',
    'HTTP/1.1 200 OK',
    'content-type: application/json',
  ].join('\n');
}
