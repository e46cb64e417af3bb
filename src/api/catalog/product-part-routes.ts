import { ADMIN } from '../../domain/catalog/index.js';
import { requireVersion } from '../../core/index.js';
import { referenceParams } from './catalog-fields.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { THUMBNAIL_DESCRIPTION, thumbnailUpload } from './thumbnail.js';
import {
  adminProductReply,
  productAudiencesBody,
  productCategoriesBody,
  productPlansBody,
  specBody,
} from './product-admin-schema.js';
import { presentAdminProduct } from './product-presenter.js';
import { specReply, workflowsReply } from './product-schema.js';
import { presentGiven, presentSpecChanges, readUploadNote } from './version-presenter.js';
import { productWithChangesReply, uploadQuery } from './version-schema.js';
import {
  replyWithSpec,
  replyWithWorkflows,
  SPEC_DOCUMENT,
  specUpload,
  WORKFLOW_DOCUMENT,
  workflowUpload,
} from './document-reply.js';

const part = { context: 'admin', tag: 'Products', params: referenceParams } as const;
const changing = {
  ...part,
  policy: ['update', 'products'],
  versioned: true,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.products.findForAdmin(params.id),
} as const;
const spec = '/products/:id/spec';
const workflows = '/products/:id/workflows';
const thumbnail = '/products/:id/thumbnail';

const specRoutes = [
  defineRoute({
    ...part,
    method: 'get',
    path: spec,
    operation: 'getProductSpec',
    summary: 'Download the document of a product',
    description: 'As the public address does, and of drafts as well.',
    policy: ['view', 'products'],
    document: SPEC_DOCUMENT,
    reply: { 200: specReply },
    handle: ({ services, params, request }) =>
      replyWithSpec(services.catalog.products, params.id, ADMIN, request.headers),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    path: spec,
    operation: 'setProductSpec',
    summary: 'Give a product its document',
    description:
      'OpenAPI 3.0, 3.1, 3.2, Swagger 2.0, or AsyncAPI 2 and 3, in one file, as JSON or YAML, or a GraphQL schema (SDL, or the ' +
      'result of an introspection query): in the multipart field `spec`, or as JSON `{spec}` with the document or its text, or as ' +
      '`{url}`, from where it is fetched once. The answer tells what it changes for callers. What breaks them is taken, needs ' +
      '`confirm` with a `reason`, or is refused (409), as `catalog.breakingChanges` says; drafts may change in every way. What it ' +
      'changes is drafted as an entry of the changelog, which nobody sees before it is published (`catalog.draftsChanges`).',
    localized: true,
    errors: [409],
    body: specBody,
    query: uploadQuery,
    upload: specUpload,
    reply: { 200: productWithChangesReply },
    handle: async ({ services, found, upload, query, locale, expected }) => {
      const { uploads } = services.catalog;
      const planned = await uploads.plan(found, null, upload);
      const spec_changes = await presentSpecChanges(services, planned.diff, locale);
      if (query.dry_run === true) {
        requireVersion(expected, found);
        return { ...presentAdminProduct(found, services.paths), spec_changes, ...presentGiven(planned) };
      }
      const given = await uploads.giveProduct(found, planned, readUploadNote(query), { locale, expected });
      return { ...presentAdminProduct(given.product, services.paths), spec_changes, ...presentGiven(planned, given) };
    },
  }),
  defineRoute({
    ...changing,
    method: 'delete',
    path: spec,
    operation: 'deleteProductSpec',
    summary: 'Take the document of a product away',
    reply: { 200: adminProductReply },
    handle: async ({ services, found, expected }) =>
      presentAdminProduct(await services.catalog.products.setSpec(found.id, null, expected), services.paths),
  }),
];

const workflowRoutes = [
  defineRoute({
    ...part,
    method: 'get',
    path: workflows,
    operation: 'getProductWorkflows',
    summary: 'Download the workflows of a product',
    description: 'As the public address does, and of drafts as well.',
    policy: ['view', 'products'],
    document: WORKFLOW_DOCUMENT,
    reply: { 200: workflowsReply },
    find: changing.find,
    handle: ({ services, found, request }) => replyWithWorkflows(services.catalog.products, found, request.headers),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    path: workflows,
    operation: 'setProductWorkflows',
    summary: 'Give a product its workflows',
    description:
      'An Arazzo 1.0 or 1.1 document of at most 500,000 bytes, as JSON or YAML in the multipart field `workflows`. Its one source ' +
      'description stands for the document of the product, which must have every operation that a step calls (422). Whoever ' +
      'sees the product reads them, as pages, as Markdown and over MCP.',
    errors: [409],
    upload: workflowUpload,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, upload, expected }) => {
      const product = await services.catalog.products.setWorkflows(found, upload.bytes, expected);
      return presentAdminProduct(product, services.paths);
    },
  }),
  defineRoute({
    ...changing,
    method: 'delete',
    path: workflows,
    operation: 'deleteProductWorkflows',
    summary: 'Take the workflows of a product away',
    reply: { 200: adminProductReply },
    handle: async ({ services, found, expected }) =>
      presentAdminProduct(await services.catalog.products.setWorkflows(found, null, expected), services.paths),
  }),
];

const thumbnailRoutes = [
  defineRoute({
    ...changing,
    method: 'put',
    path: thumbnail,
    operation: 'setProductThumbnail',
    summary: 'Upload the thumbnail of a product',
    description: THUMBNAIL_DESCRIPTION,
    upload: thumbnailUpload,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, upload, expected }) => {
      const product = await services.catalog.products.setThumbnail(found.id, upload.bytes, expected);
      return presentAdminProduct(product, services.paths);
    },
  }),
  defineRoute({
    ...changing,
    method: 'delete',
    path: thumbnail,
    operation: 'deleteProductThumbnail',
    summary: 'Take the thumbnail of a product away',
    reply: { 200: adminProductReply },
    handle: async ({ services, found, expected }) =>
      presentAdminProduct(await services.catalog.products.setThumbnail(found.id, null, expected), services.paths),
  }),
];

const setRoutes = [
  defineRoute({
    ...changing,
    method: 'put',
    path: '/products/:id/categories',
    operation: 'setProductCategories',
    summary: 'Say which categories a product is in',
    body: productCategoriesBody,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, body, expected }) => {
      const product = await services.catalog.products.setCategories(found.id, body.categories, expected);
      return presentAdminProduct(product, services.paths);
    },
  }),
  defineRoute({
    ...changing,
    method: 'put',
    path: '/products/:id/audiences',
    operation: 'setProductAudiences',
    summary: 'Say which audiences see a private product',
    body: productAudiencesBody,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, body, expected }) => {
      const product = await services.catalog.products.setAudiences(found.id, body.audiences, expected);
      return presentAdminProduct(product, services.paths);
    },
  }),
  defineRoute({
    ...changing,
    method: 'put',
    path: '/products/:id/plans',
    operation: 'setProductPlans',
    summary: 'Say which plans a product offers',
    description: 'Keys that have a plan keep it. Without plans, new keys have no limits.',
    body: productPlansBody,
    reply: { 200: adminProductReply },
    handle: async ({ services, found, body, expected }) => {
      const { plans, default_plan: wanted } = body;
      const product = await services.catalog.products.setPlans(found.id, plans, wanted ?? undefined, expected);
      return presentAdminProduct(product, services.paths);
    },
  }),
];

/** The parts of a product that have their own routes. */
export const productPartRoutes = [...specRoutes, ...workflowRoutes, ...thumbnailRoutes, ...setRoutes];
