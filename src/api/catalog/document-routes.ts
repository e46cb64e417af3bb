import { documentRevisionList, type ProductRecord } from '../../domain/catalog/index.js';
import { paginated } from '../../http/index.js';
import { mapPage, ValidationError } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { referenceParams } from './catalog-fields.js';
import { replyWithDocument, SPEC_DOCUMENT } from './document-reply.js';
import { specReply } from './product-schema.js';
import { presentDocument, presentSpecChanges } from './version-presenter.js';
import {
  comparedDocumentsParams,
  documentListReply,
  documentParams,
  documentReply,
  specChangesReply,
} from './version-schema.js';

const documents = {
  context: 'admin',
  method: 'get',
  tag: 'Products',
  policy: ['view', 'products'],
} as const;
const one = {
  ...documents,
  params: documentParams,
  find: async ({ services, params }: PathContext<{ id: string; document: number }>) => {
    const product = await services.catalog.products.findForAdmin(params.id);
    return { product, revision: await services.catalog.history.find(product, params.document) };
  },
} as const;

async function namesOf({ catalog }: PortalServices, product: ProductRecord): Promise<ReadonlyMap<number, string>> {
  return catalog.versions.names(product);
}

/** The history of the documents of a product, of which nothing is ever changed. */
export const productDocumentRoutes = [
  defineRoute({
    ...documents,
    path: '/products/:id/documents',
    operation: 'listProductDocuments',
    summary: 'List the documents that a product was given',
    description: 'Every upload, with who gave it and where it came from, also of its versions.',
    params: referenceParams,
    list: documentRevisionList.options,
    reply: { 200: documentListReply },
    find: ({ services, params }) => services.catalog.products.findForAdmin(params.id),
    handle: async ({ services, found, list }) => {
      const [page, names] = await Promise.all([services.catalog.history.list(found, list), namesOf(services, found)]);
      return paginated(mapPage(page, (revision) => presentDocument(found, revision, names)));
    },
  }),
  defineRoute({
    ...one,
    path: '/products/:id/documents/:document',
    operation: 'getProductDocument',
    summary: 'Show a document that a product was given',
    reply: { 200: documentReply },
    handle: async ({ services, found: { product, revision } }) =>
      presentDocument(product, revision, await namesOf(services, product)),
  }),
  defineRoute({
    ...one,
    path: '/products/:id/documents/:document/spec',
    operation: 'downloadProductDocument',
    summary: 'Download a document that a product was given',
    document: SPEC_DOCUMENT,
    reply: { 200: specReply },
    handle: ({ services, found: { product, revision }, request }) =>
      replyWithDocument(services.catalog.products, request.headers, () =>
        services.catalog.products.readKeptSpec(product, revision.hash),
      ),
  }),
  defineRoute({
    ...documents,
    path: '/products/:id/documents/:document/compare/:other',
    operation: 'compareProductDocuments',
    localized: true,
    errors: [503],
    summary: 'Compare two documents that a product was given',
    description:
      'What callers notice who go from `document` to `other`. 422 for documents that no rules compare: AsyncAPI and GraphQL.',
    params: comparedDocumentsParams,
    reply: { 200: specChangesReply },
    find: async ({ services, params }) => {
      const { products, history } = services.catalog;
      const product = await products.findForAdmin(params.id);
      const [old, present] = await Promise.all([
        history.find(product, params.document),
        history.find(product, params.other),
      ]);
      return { product, old, present };
    },
    handle: async ({ services, found: { product, old, present }, locale }) => {
      const diff = await services.catalog.history.compare(product, old.hash, present.hash);
      const changes = await presentSpecChanges(services, diff, locale);
      if (changes === null) throw new ValidationError({ other: ['The two documents cannot be compared.'] });
      return changes;
    },
  }),
];
