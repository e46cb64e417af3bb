import { adminProductListOptions, gatewayProductListOptions } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { referenceParams } from './catalog-fields.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { readThumbnail } from './thumbnail.js';
import { readTranslationInput } from './translations.js';
import {
  adminProductListReply,
  adminProductReply,
  gatewayProductListReply,
  newProductBody,
  productBody,
  type ProductBody,
} from './product-admin-schema.js';
import { presentAdminProduct, presentGatewayProduct } from './product-presenter.js';

const products = { context: 'admin', tag: 'Products' } as const;
const one = {
  ...products,
  path: '/products/:id',
  params: referenceParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.products.findForAdmin(params.id),
} as const;

function inputOf(body: ProductBody, apiPath: string) {
  const { slug, name, description, visibility, approval, tags, categories, audiences, plans } = body;
  return {
    ...{ slug, name, description, visibility, approval, tags, categories, audiences, plans },
    defaultPlan: body.default_plan ?? undefined,
    shortDescription: body.short_description,
    gatewayProductId: body.gateway_product_id,
    isForAgents: body.agents,
    customAttributes: body.custom_attributes,
    thumbnailUrl: readThumbnail(body.thumbnail_url, apiPath),
    translations: readTranslationInput(body.translations),
  };
}

export const adminProductRoutes = [
  defineRoute({
    ...products,
    method: 'get',
    path: '/products',
    operation: 'listProducts',
    localized: true,
    summary: 'List products',
    description:
      'All of them, drafts included. Texts are those of the default locale; order and search follow the locale of the ' +
      'request. Categories and tags are always part of the record, audiences, plans and translations with `with`. Filters ' +
      '`category`, `tag` and `audience` take slugs, tags and names.',
    policy: ['view', 'products'],
    list: adminProductListOptions,
    reply: { 200: adminProductListReply },
    handle: async ({ services, list, locale }) => {
      const page = await services.catalog.products.listAll(list, locale);
      return paginated(mapPage(page, (product) => presentAdminProduct(product, services.paths, list.with)));
    },
  }),
  defineRoute({
    ...products,
    method: 'post',
    path: '/products',
    operation: 'createProduct',
    summary: 'Create a product',
    description: 'A draft unless `visibility` says otherwise.',
    policy: ['create', 'products'],
    body: newProductBody,
    reply: { 201: adminProductReply },
    handle: async ({ services, body }) => {
      const { slug, name, visibility = 'draft', approval = 'auto', gateway_product_id: gatewayProductId = slug } = body;
      const input = { ...inputOf(body, services.paths.api), slug, name, visibility, approval, gatewayProductId };
      return created(presentAdminProduct(await services.catalog.products.create(input, body.spec), services.paths));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getProduct',
    summary: 'Show a product',
    policy: ['view', 'products'],
    reply: { 200: adminProductReply },
    handle: ({ services, found }) => presentAdminProduct(found, services.paths),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateProduct',
    record: true,
    errors: [409],
    summary: 'Change a product',
    description: 'While keys carry the product, `slug` and `gateway_product_id` stay as they are (409).',
    policy: ['update', 'products'],
    body: productBody,
    versioned: true,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, body, expected }) => {
      const input = inputOf(body, services.paths.api);
      return presentAdminProduct(await services.catalog.products.update(found.id, input, expected), services.paths);
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteProduct',
    errors: [409],
    summary: 'Delete a product',
    description: 'Refused with 409 while keys carry it, revoked ones included. To close it at once, make it a draft.',
    policy: ['delete', 'products'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.products.delete(found.id, expected);
      return {};
    },
  }),
  defineRoute({
    ...products,
    method: 'get',
    path: '/gateway/products',
    budget: { gateway: 1 },
    operation: 'listGatewayProducts',
    errors: [502, 504],
    summary: 'List what the gateway has to offer',
    description: 'Asked of the gateway at this moment, by name.',
    policy: ['view', 'products'],
    list: gatewayProductListOptions,
    reply: { 200: gatewayProductListReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.catalog.gateway.list(list), presentGatewayProduct)),
  }),
];
