import { defineRoute, Joi, mapPage, paginated, productListOptions, viewerOf, type ProductRecord } from 'portalkit';

/** The shape that the clients of these endpoints get; the documentation is made from it. */
const itemReply = Joi.object({
  key: Joi.string().required(),
  title: Joi.string().required(),
  teaser: Joi.string().allow('').required(),
}).label('{{Name}}Item');

function present({ slug, name, shortDescription }: ProductRecord) {
  return { key: slug, title: name, teaser: shortDescription };
}

const common = { context: 'consumer', auth: 'optional', tag: '{{Title}}' } as const;

/**
 * Endpoints on the services that the portal's own are made of: the rules of who sees what come with them. `services` holds
 * all of them; give the routes to `routes` of portal.config.ts.
 */
export const {{camel}}Routes = [
  defineRoute({
    ...common,
    method: 'get',
    path: '/{{name}}',
    operation: 'list{{Name}}',
    summary: 'List {{title}}',
    list: productListOptions,
    reply: { 200: Joi.array().items(itemReply).label('{{Name}}List') },
    handle: async ({ services, actor, list, locale }) => {
      const page = await services.catalog.products.list(list, viewerOf(actor), locale);
      return paginated(mapPage(page, present));
    },
  }),
  defineRoute({
    ...common,
    method: 'get',
    path: '/{{name}}/:key',
    operation: 'get{{Name}}',
    summary: 'Show one of {{title}}',
    params: Joi.object<{ key: string }>({ key: Joi.string().max(100).required() }),
    reply: { 200: itemReply },
    // What `find` cannot see answers 404, before anything else of the request is believed.
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.key, viewerOf(actor), locale),
    handle: ({ found }) => present(found),
  }),
];
