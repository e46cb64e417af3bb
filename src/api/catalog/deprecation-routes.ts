import {
  deprecationList,
  scopeText,
  viewerOf,
  type Deprecation,
  type OwnedDeprecation,
} from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import {
  announceBody,
  deprecationBody,
  deprecationListReply,
  deprecationParams,
  deprecationReply,
  newDeprecationBody,
  publishedDeprecationListReply,
  readBrownouts,
  retireBody,
  type DeprecationBody,
} from './deprecation-schema.js';
import { presentTerms } from './product-presenter.js';

export const deprecationRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'optional',
    tag: 'API products',
    localized: true,
    method: 'get',
    path: '/api-products/:id/deprecations',
    operation: 'listApiProductDeprecations',
    summary: 'List what of an API product ends',
    description: 'The product, versions and operations, what ends first at the top; for whoever may see the product.',
    params: referenceParams,
    reply: { 200: publishedDeprecationListReply },
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, found }) =>
      (await services.catalog.deprecations.listPublished(found)).map(presentPublished),
  }),
];

const all = {
  context: 'admin',
  tag: 'Products',
  path: '/products/:id/deprecations',
  params: referenceParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.products.findForAdmin(params.id),
} as const;
const one = {
  ...all,
  path: '/products/:id/deprecations/:deprecation',
  params: deprecationParams,
  find: async ({ services, params }: PathContext<{ id: string; deprecation: number }>) =>
    services.catalog.deprecations.find(await services.catalog.products.findForAdmin(params.id), params.deprecation),
} as const;
const changing = { ...one, policy: ['update', 'products'], versioned: true, reply: { 200: deprecationReply } } as const;

function termsOf({ replacement_url, guide_url, base_path, brownouts, ...body }: DeprecationBody) {
  const { deprecated_at: deprecatedAt, sunset_at: sunsetAt, closes, description } = body;
  const texts = { replacementUrl: replacement_url, guideUrl: guide_url, basePath: base_path };
  const terms = { deprecatedAt, sunsetAt, closes, description, ...texts, brownouts: readBrownouts(brownouts) };
  const given = Object.entries(terms).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof typeof terms]?: Exclude<(typeof terms)[K], undefined> };
}

/** Deprecations belong to their product: changing them requires permission on the product. */
export const adminDeprecationRoutes = [
  defineRoute({
    ...all,
    method: 'get',
    operation: 'listProductDeprecations',
    summary: 'List the deprecations of a product',
    description: 'Drafts included.',
    policy: ['view', 'products'],
    list: deprecationList.options,
    reply: { 200: deprecationListReply },
    handle: async ({ services, found, list }) =>
      paginated(mapPage(await services.catalog.deprecations.list(found, list), presentDeprecation)),
  }),
  defineRoute({
    ...all,
    method: 'post',
    operation: 'createProductDeprecation',
    errors: [409],
    summary: 'Draft the end of a product, a version or an operation',
    description:
      'Nobody but admins sees it before it is announced. Calls of the part are counted from now on, so that those whom it ' +
      'hits are known.',
    policy: ['update', 'products'],
    body: newDeprecationBody,
    reply: { 201: deprecationReply },
    handle: async ({ services, found, body: { version, method, path, ...body } }) => {
      const input = { version: version ?? null, method: method ?? null, path: path ?? null, ...termsOf(body) };
      return created(presentDeprecation(await services.catalog.deprecations.create(found, input)));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getProductDeprecation',
    summary: 'Show a deprecation of a product',
    policy: ['view', 'products'],
    reply: { 200: deprecationReply },
    handle: ({ found }) => presentDeprecation(found),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    operation: 'updateProductDeprecation',
    record: true,
    errors: [409],
    summary: 'Change a deprecation of a product',
    description: 'An announced one, too: its sunset can be put off. What it is about stays as it is.',
    body: deprecationBody,
    handle: async ({ services, found, body, expected }) =>
      presentDeprecation(await services.catalog.deprecations.update(found, termsOf(body), expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteProductDeprecation',
    summary: 'Take back a deprecation of a product',
    description: 'Keys open again what it had closed.',
    policy: ['update', 'products'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.deprecations.delete(found, expected);
      return {};
    },
  }),
  defineRoute({
    ...changing,
    method: 'post',
    path: '/products/:id/deprecations/:deprecation/announce',
    operation: 'announceProductDeprecation',
    errors: [409],
    summary: 'Announce a deprecation of a product',
    description: 'Readers see it, and calls are answered with its headers, from now on. 409 for an announced one.',
    body: announceBody,
    handle: async ({ services, found, body: { notice = true }, expected }) =>
      presentDeprecation(await services.catalog.deprecations.announce(found, notice, expected)),
  }),
  defineRoute({
    ...changing,
    method: 'post',
    path: '/products/:id/deprecations/:deprecation/retire',
    operation: 'retireProductDeprecation',
    errors: [409],
    summary: 'End what a deprecation is about',
    description: 'Keys are refused from now on. 409 before its sunset, unless `early` says so.',
    body: retireBody,
    handle: async ({ services, found, body: { early = false }, expected }) =>
      presentDeprecation(await services.catalog.deprecations.retire(found, early, expected)),
  }),
];

function presentPublished(deprecation: Deprecation) {
  const { id, version, method, path, brownouts } = deprecation;
  return { id, version, method, path, ...presentTerms(deprecation), brownouts };
}

/** A deprecation as admins see it. */
function presentDeprecation({ product, deprecation }: OwnedDeprecation) {
  const { closes, basePath, announcedAt, retiredAt, createdAt, updatedAt } = deprecation;
  return {
    ...presentPublished(deprecation),
    name: scopeText(deprecation) || product.name,
    product: { id: product.id, slug: product.slug, name: product.name },
    ...{ closes, base_path: basePath, announced_at: announcedAt, retired_at: retiredAt },
    ...{ created_at: createdAt, updated_at: updatedAt },
  };
}
