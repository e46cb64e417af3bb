import { productListOptions, viewerOf } from '../../domain/catalog/index.js';
import { ok, paginated, shared } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { referenceParams } from './catalog-fields.js';
import { defineRoute } from '../define-route.js';
import { presentProduct } from './product-presenter.js';
import { productListReply, productReply, specReply, workflowsReply } from './product-schema.js';
import { versionQuery } from './version-schema.js';
import { replyWithSpec, replyWithWorkflows, SPEC_DOCUMENT, WORKFLOW_DOCUMENT } from './document-reply.js';

const products = { context: 'consumer', auth: 'optional', tag: 'API products' } as const;

export const productRoutes = [
  defineRoute({
    ...products,
    method: 'get',
    path: '/api-products',
    operation: 'listApiProducts',
    summary: 'List API products',
    description:
      'Everybody sees the public products; a signed-in developer also the private ones of their audiences. ' +
      'Categories and tags are always part of the record. Filters `category` and `tag` take slugs and tags.',
    localized: true,
    shared: true,
    list: productListOptions,
    reply: { 200: productListReply },
    handle: async ({ services, actor, list, locale }) => {
      const page = await services.catalog.products.list(list, viewerOf(actor), locale);
      const make = () => paginated(mapPage(page, (product) => presentProduct(product, services.paths.api)));
      // Pages reached by cursor are not cached.
      return actor === null && list.cursor === undefined ? shared(page, make) : make();
    },
  }),
  defineRoute({
    ...products,
    method: 'get',
    path: '/api-products/:id',
    operation: 'getApiProduct',
    summary: 'Show an API product',
    localized: true,
    shared: true,
    params: referenceParams,
    reply: { 200: productReply },
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: ({ services, actor, found }) => {
      const make = () => ok(presentProduct(found, services.paths.api));
      return actor === null ? shared(found, make) : make();
    },
  }),
  defineRoute({
    ...products,
    method: 'get',
    path: '/api-products/:id/spec',
    operation: 'getApiProductSpec',
    summary: 'Download the document of an API product',
    description:
      'OpenAPI, AsyncAPI or GraphQL. The document itself, not in the envelope: JSON, or YAML with `Accept: application/yaml`. A ' +
      'GraphQL schema comes as its text. The default version without `version`; `payments@v2` names one as well. ' +
      'Send the `ETag` back as `If-None-Match` and an unchanged document is answered with 304.',
    params: referenceParams,
    query: versionQuery,
    document: SPEC_DOCUMENT,
    reply: { 200: specReply },
    handle: ({ services, actor, params, query, request }) =>
      replyWithSpec(services.catalog.products, withVersion(params.id, query.version), viewerOf(actor), request.headers),
  }),
  defineRoute({
    ...products,
    method: 'get',
    path: '/api-products/:id/workflows',
    operation: 'getApiProductWorkflows',
    summary: 'Download the workflows of an API product',
    description:
      'The Arazzo document itself, not in the envelope: JSON, or YAML with `Accept: application/yaml`; with `ETag`, as its document.',
    params: referenceParams,
    document: WORKFLOW_DOCUMENT,
    reply: { 200: workflowsReply },
    find: ({ services, actor, params }) =>
      services.catalog.products.find(params.id, viewerOf(actor), services.site.about.defaultLocale),
    handle: ({ services, found, request }) => replyWithWorkflows(services.catalog.products, found, request.headers),
  }),
];

const withVersion = (reference: string, version: string | undefined) =>
  version === undefined ? reference : `${reference}@${version}`;
