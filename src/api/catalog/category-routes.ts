import { categoryListOptions, viewerOf } from '../../domain/catalog/index.js';
import { paginated, shared } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute } from '../define-route.js';
import { presentCategory } from './category-presenter.js';
import { categoryListReply } from './category-schema.js';

export const categoryRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'optional',
    tag: 'API products',
    method: 'get',
    path: '/categories',
    operation: 'listCategories',
    localized: true,
    shared: true,
    summary: 'List categories',
    description: 'Each with the number of its products that the caller may see.',
    list: categoryListOptions,
    reply: { 200: categoryListReply },
    handle: async ({ services, actor, list, locale }) => {
      const page = await services.catalog.categories.list(list, viewerOf(actor), locale);
      const make = () => paginated(mapPage(page, (category) => presentCategory(category, services.paths.api)));
      return actor === null && list.cursor === undefined ? shared(page, make) : make();
    },
  }),
];
