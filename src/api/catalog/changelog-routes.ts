import {
  changelogList,
  publishedList,
  viewerOf,
  type ChangelogEntryRow,
  type OwnedEntry,
  type PublishedEntry,
} from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import {
  entryBody,
  entryListReply,
  entryParams,
  entryReply,
  newEntryBody,
  publishBody,
  publishedEntryListReply,
  publishedEntryReply,
  type ChangelogBody,
} from './changelog-schema.js';
import { presentTranslations, readTranslationInput } from './translations.js';

const published = { context: 'consumer', auth: 'optional', tag: 'API products', localized: true } as const;

export const changelogRoutes = [
  defineRoute({
    ...published,
    method: 'get',
    path: '/api-products/:id/changes',
    operation: 'listApiProductChanges',
    summary: 'List what changed in an API product',
    description: 'The published entries of its changelog, the latest first, for whoever may see the product.',
    params: referenceParams,
    list: publishedList.options,
    reply: { 200: publishedEntryListReply },
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, found, list, locale }) =>
      paginated(mapPage(await services.catalog.changelog.listPublished(found, list, locale), presentPublishedEntry)),
  }),
  defineRoute({
    ...published,
    method: 'get',
    path: '/api-products/:id/changes/:change',
    operation: 'getApiProductChange',
    summary: 'Show an entry of the changelog of an API product',
    params: entryParams,
    reply: { 200: publishedEntryReply },
    find: async ({ services, actor, params, locale }) => {
      const product = await services.catalog.products.find(params.id, viewerOf(actor), locale);
      return services.catalog.changelog.findPublished(product, params.change, locale);
    },
    handle: ({ found }) => presentPublishedEntry(found),
  }),
];

const entries = {
  context: 'admin',
  tag: 'Products',
  path: '/products/:id/changes',
  params: referenceParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.products.findForAdmin(params.id),
} as const;
const one = {
  ...entries,
  path: '/products/:id/changes/:change',
  params: entryParams,
  find: async ({ services, params }: PathContext<{ id: string; change: number }>) =>
    services.catalog.changelog.find(await services.catalog.products.findForAdmin(params.id), params.change),
} as const;
const changing = { ...one, policy: ['update', 'products'], versioned: true, reply: { 200: entryReply } } as const;

function inputOf({ kind, version, name, short_description, description, translations }: ChangelogBody) {
  const texts = { name, shortDescription: short_description, description };
  return { kind, version, ...texts, translations: readTranslationInput(translations) };
}

/** Entries belong to their product: changing them requires permission on the product. */
export const adminChangelogRoutes = [
  defineRoute({
    ...entries,
    method: 'get',
    operation: 'listProductChanges',
    summary: 'List the changelog of a product',
    description: 'Drafts included. Texts are those of the default locale; translations with `with`.',
    policy: ['view', 'products'],
    list: changelogList.options,
    reply: { 200: entryListReply },
    handle: async ({ services, found, list }) => {
      const page = await services.catalog.changelog.list(found, list);
      return paginated(mapPage(page, (entry) => presentEntry(entry, list.with)));
    },
  }),
  defineRoute({
    ...entries,
    method: 'post',
    operation: 'createProductChange',
    summary: 'Draft an entry of the changelog of a product',
    description: 'Nobody but admins sees it before it is published.',
    policy: ['update', 'products'],
    body: newEntryBody,
    reply: { 201: entryReply },
    handle: async ({ services, found, body }) => {
      const { kind, name } = body;
      return created(presentEntry(await services.catalog.changelog.create(found, { ...inputOf(body), kind, name })));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getProductChange',
    summary: 'Show an entry of the changelog of a product',
    policy: ['view', 'products'],
    reply: { 200: entryReply },
    handle: ({ found }) => presentEntry(found),
  }),
  defineRoute({
    ...changing,
    method: 'put',
    operation: 'updateProductChange',
    record: true,
    summary: 'Change an entry of the changelog of a product',
    description: 'A published one, too: readers see the change at once.',
    body: entryBody,
    handle: async ({ services, found, body, expected }) =>
      presentEntry(await services.catalog.changelog.update(found, inputOf(body), expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteProductChange',
    summary: 'Delete an entry of the changelog of a product',
    policy: ['update', 'products'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.changelog.delete(found, expected);
      return {};
    },
  }),
  defineRoute({
    ...changing,
    method: 'post',
    path: '/products/:id/changes/:change/publish',
    operation: 'publishProductChange',
    errors: [409],
    summary: 'Publish an entry of the changelog of a product',
    description: 'Whoever may see the product sees it from now on. Refused with 409 for a published one.',
    body: publishBody,
    handle: async ({ services, found, body: { notice = false }, expected }) =>
      presentEntry(await services.catalog.changelog.publish(found, expected, notice)),
  }),
];

/** An entry as the readers of its product see it. */
function presentPublishedEntry(entry: PublishedEntry) {
  return { ...textsOf(entry), published_at: entry.publishedAt, updated_at: entry.updatedAt };
}

/** An entry as admins see it. List parts that were not requested are left out. */
function presentEntry({ product, entry }: OwnedEntry, relations: readonly string[] = ['translations']) {
  return {
    ...textsOf(entry),
    product: { id: product.id, slug: product.slug, name: product.name },
    status: entry.status,
    ...{ document_id: entry.documentId, previous_document_id: entry.previousDocumentId },
    published_at: entry.publishedAt,
    ...(relations.includes('translations') && { translations: presentTranslations(entry.translations) }),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  };
}

function textsOf({ id, kind, version, name, shortDescription, description }: ChangelogEntryRow) {
  return { id, kind, version, name, short_description: shortDescription, description };
}
