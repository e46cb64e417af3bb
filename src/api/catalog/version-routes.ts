import { ADMIN, productVersionList, viewerOf } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage, NotFoundError, requireVersion } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import { replyWithSpec, SPEC_DOCUMENT, specUpload } from './document-reply.js';
import { specBody } from './product-admin-schema.js';
import { specReply } from './product-schema.js';
import {
  presentGiven,
  presentProductVersion,
  presentPublicVersion,
  presentSpecChanges,
  readUploadNote,
} from './version-presenter.js';
import {
  comparedVersionsParams,
  newProductVersionBody,
  productVersionBody,
  productVersionListReply,
  productVersionParams,
  productVersionReply,
  publicVersionListReply,
  specChangesReply,
  uploadQuery,
  versionWithChangesReply,
  type ProductVersionBody,
} from './version-schema.js';

const published = { context: 'consumer', auth: 'optional', tag: 'API products' } as const;

export const versionRoutes = [
  defineRoute({
    ...published,
    method: 'get',
    path: '/api-products/:id/versions',
    operation: 'listApiProductVersions',
    localized: true,
    summary: 'List the versions of an API product',
    description: 'Current, deprecated and retired ones. A product without versions has an empty list and one document.',
    params: referenceParams,
    list: productVersionList.options,
    reply: { 200: publicVersionListReply },
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, found, list }) => {
      const page = await services.catalog.versions.list(found, list, 'readers');
      return paginated(mapPage(page, (version) => presentPublicVersion(found, version, services.paths)));
    },
  }),
  defineRoute({
    ...published,
    method: 'get',
    path: '/api-products/:id/versions/:name/compare/:other',
    operation: 'compareApiProductVersions',
    localized: true,
    errors: [503],
    summary: 'Compare two versions of an API product',
    description:
      'What callers notice who go from `name` to `other`. 404 also for a version without a document, and for documents that no ' +
      'rules compare: AsyncAPI and GraphQL.',
    params: comparedVersionsParams,
    reply: { 200: specChangesReply },
    find: async ({ services, actor, params, locale }) => {
      const product = await services.catalog.products.find(params.id, viewerOf(actor), locale);
      const hashOf = (name: string) => product.versions.find((version) => version.name === name)?.specHash;
      const [old, present] = [hashOf(params.name), hashOf(params.other)];
      if (!old || !present) throw new NotFoundError();
      return { product, old, present };
    },
    handle: async ({ services, found: { product, old, present }, locale }) => {
      const diff = await services.catalog.history.compare(product, old, present);
      const changes = await presentSpecChanges(services, diff, locale);
      if (changes === null) throw new NotFoundError();
      return changes;
    },
  }),
];

const versions = {
  context: 'admin',
  tag: 'Products',
  path: '/products/:id/versions',
  params: referenceParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.products.findForAdmin(params.id),
} as const;
const one = {
  ...versions,
  path: '/products/:id/versions/:name',
  params: productVersionParams,
  find: async ({ services, params }: PathContext<{ id: string; name: string }>) =>
    services.catalog.versions.find(await services.catalog.products.findForAdmin(params.id), params.name),
} as const;
const spec = { ...one, path: '/products/:id/versions/:name/spec' } as const;
const changing = { policy: ['update', 'products'], versioned: true } as const;

const inputOf = ({ name, state, is_default: isDefault }: ProductVersionBody) => ({ name, state, isDefault });

/** Versions belong to their product: changing them requires permission on the product. */
export const adminVersionRoutes = [
  defineRoute({
    ...versions,
    method: 'get',
    operation: 'listProductVersions',
    summary: 'List the versions of a product',
    policy: ['view', 'products'],
    list: productVersionList.options,
    reply: { 200: productVersionListReply },
    handle: async ({ services, found: product, list }) => {
      const page = await services.catalog.versions.list(product, list, 'admins');
      return paginated(mapPage(page, (version) => presentProductVersion({ product, version }, services.paths)));
    },
  }),
  defineRoute({
    ...versions,
    method: 'post',
    operation: 'createProductVersion',
    summary: 'Make a version of a product',
    description:
      'The first one takes over the document that the product has and becomes the default: it is what readers see already. Further ' +
      'ones begin without a document, as drafts, which only admins see.',
    policy: ['update', 'products'],
    body: newProductVersionBody,
    reply: { 201: productVersionReply },
    handle: async ({ services, found, body }) => {
      const made = await services.catalog.versions.create(found, { ...inputOf(body), name: body.name });
      return created(presentProductVersion(made, services.paths));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getProductVersion',
    summary: 'Show a version of a product',
    policy: ['view', 'products'],
    reply: { 200: productVersionReply },
    handle: ({ services, found }) => presentProductVersion(found, services.paths),
  }),
  defineRoute({
    ...one,
    ...changing,
    method: 'put',
    operation: 'updateProductVersion',
    record: true,
    errors: [409],
    summary: 'Change a version of a product',
    description:
      'A draft becomes current, then deprecated, then retired; a step back is one step, and never to a draft (409). The default version ' +
      'is current or deprecated (409). The name of a version that readers know stays (409).',
    body: productVersionBody,
    reply: { 200: productVersionReply },
    handle: async ({ services, found, body, expected }) => {
      const after = await services.catalog.versions.update(found, inputOf(body), expected);
      return presentProductVersion(after, services.paths);
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteProductVersion',
    errors: [409],
    summary: 'Delete a version of a product',
    description: 'A draft, a retired one, or the only one (409). Its documents stay in the history of the product.',
    policy: ['update', 'products'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.versions.delete(found, expected);
      return {};
    },
  }),
  defineRoute({
    ...spec,
    method: 'get',
    operation: 'getProductVersionSpec',
    summary: 'Download the document of a version of a product',
    policy: ['view', 'products'],
    document: SPEC_DOCUMENT,
    reply: { 200: specReply },
    handle: ({ services, found: { product, version }, request }) =>
      replyWithSpec(services.catalog.products, `${product.slug}@${version.name}`, ADMIN, request.headers),
  }),
  defineRoute({
    ...spec,
    ...changing,
    method: 'put',
    operation: 'setProductVersionSpec',
    localized: true,
    errors: [409],
    summary: 'Give a version of a product its document',
    description: 'As for the product itself. The document of a draft may change in every way.',
    body: specBody,
    query: uploadQuery,
    upload: specUpload,
    reply: { 200: versionWithChangesReply },
    handle: async ({ services, found, upload, query, locale, expected }) => {
      const { uploads } = services.catalog;
      const planned = await uploads.plan(found.product, found.version, upload);
      const spec_changes = await presentSpecChanges(services, planned.diff, locale);
      if (query.dry_run === true) {
        requireVersion(expected, found.version);
        return { ...presentProductVersion(found, services.paths), spec_changes, ...presentGiven(planned) };
      }
      const after = await uploads.giveVersion(found, planned, readUploadNote(query), { locale, expected });
      return { ...presentProductVersion(after, services.paths), spec_changes, ...presentGiven(planned, after) };
    },
  }),
  defineRoute({
    ...spec,
    ...changing,
    method: 'delete',
    operation: 'deleteProductVersionSpec',
    summary: 'Take the document of a version of a product away',
    reply: { 200: productVersionReply },
    handle: async ({ services, found: { product, version }, expected }) => {
      const none = { spec: null, note: {} };
      const after = await services.catalog.products.giveVersionDocument(product, version.id, none, expected);
      return presentProductVersion({ product, version: after }, services.paths);
    },
  }),
];
