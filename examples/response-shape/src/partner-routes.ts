import { defineRoute, Joi, productListOptions, viewerOf, type AppView, type ProductRecord } from 'portalkit';
import { document, documentReply, type Resource } from './json-api.js';

function productResource({ slug, name, tags }: ProductRecord): Resource {
  return { type: 'products', id: slug, attributes: { name, tags } };
}

function appResource({ app, credentials }: AppView): Resource {
  const first = credentials?.[0];
  const key = first?.key && { apiKey: first.key.consumerKey, apiSecret: first.key.consumerSecret };
  return { type: 'apps', id: app.name, attributes: { title: app.displayName, state: app.status, ...key } };
}

export const partnerRoutes = [
  defineRoute({
    method: 'get',
    path: '/partner/products',
    context: 'consumer',
    auth: 'optional',
    operation: 'listPartnerProducts',
    tag: 'Partner',
    summary: 'List products as JSON:API',
    list: productListOptions,
    reply: { 200: documentReply },
    handle: async ({ services, actor, list, locale }) => {
      const { items, total } = await services.catalog.products.list(list, viewerOf(actor), locale);
      return document(200, items.map(productResource), { total });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/partner/apps',
    context: 'consumer',
    operation: 'createPartnerApp',
    tag: 'Partner',
    summary: 'Create an app with a key, as JSON:API',
    body: Joi.object<{ title: string; products: string[] }>({
      title: Joi.string().max(200).required(),
      products: Joi.array().items(Joi.string().max(100)).min(1).max(20).required(),
    }).label('PartnerAppInput'),
    reply: { 201: documentReply },
    handle: async ({ services, actor, body }) => {
      const name = body.title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      const input = { name, displayName: body.title, products: body.products };
      const view = await services.apps.apps.create(actor.user, input, { type: 'developer', id: actor.id });
      return document(201, appResource(view));
    },
  }),
];
