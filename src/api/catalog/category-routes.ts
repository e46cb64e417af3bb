import {
  adminCategoryListOptions,
  categoryListOptions,
  viewerOf,
  type CategoryRecord,
} from '../../domain/catalog/index.js';
import { created, paginated, shared } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { referenceParams } from './catalog-fields.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { readThumbnail, THUMBNAIL_DESCRIPTION, thumbnailUpload, presentThumbnail } from './thumbnail.js';
import { readTranslationInput, presentTranslations } from './translations.js';
import {
  adminCategoryListReply,
  adminCategoryReply,
  categoryBody,
  newCategoryBody,
  type CategoryBody,
  categoryListReply,
} from './category-schema.js';

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

const categories = { context: 'admin', tag: 'Categories' } as const;
const one = {
  ...categories,
  path: '/categories/:id',
  params: referenceParams,
  find: ({ services, params }: PathContext<{ id: string }>) => services.catalog.categories.findForAdmin(params.id),
} as const;
const thumbnail = { ...one, path: '/categories/:id/thumbnail', policy: ['update', 'categories'] } as const;

function inputOf(body: CategoryBody, apiPath: string) {
  const { short_description: shortDescription, thumbnail_url, translations, slug, name, description } = body;
  return {
    ...{ slug, name, shortDescription, description },
    thumbnailUrl: readThumbnail(thumbnail_url, apiPath),
    translations: readTranslationInput(translations),
  };
}

const recordRoutes = [
  defineRoute({
    ...categories,
    method: 'get',
    path: '/categories',
    operation: 'listAdminCategories',
    localized: true,
    summary: 'List categories',
    description:
      'Texts are those of the default locale, the others under `translations`, which is always part of the record. Order ' +
      'and search follow the locale of the request.',
    policy: ['view', 'categories'],
    list: adminCategoryListOptions,
    reply: { 200: adminCategoryListReply },
    handle: async ({ services, list, locale }) => {
      const page = await services.catalog.categories.listAll(list, locale);
      return paginated(mapPage(page, (category) => presentAdminCategory(category, services.paths.api)));
    },
  }),
  defineRoute({
    ...categories,
    method: 'post',
    path: '/categories',
    operation: 'createCategory',
    summary: 'Create a category',
    policy: ['create', 'categories'],
    body: newCategoryBody,
    reply: { 201: adminCategoryReply },
    handle: async ({ services, body }) => {
      const { api } = services.paths;
      const input = { ...inputOf(body, api), slug: body.slug, name: body.name };
      return created(presentAdminCategory(await services.catalog.categories.create(input), api));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getCategory',
    summary: 'Show a category',
    policy: ['view', 'categories'],
    reply: { 200: adminCategoryReply },
    handle: ({ services, found }) => presentAdminCategory(found, services.paths.api),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateCategory',
    record: true,
    summary: 'Change a category',
    policy: ['update', 'categories'],
    body: categoryBody,
    versioned: true,
    reply: { 200: adminCategoryReply },
    handle: async ({ services, found, body, expected }) => {
      const { api } = services.paths;
      return presentAdminCategory(
        await services.catalog.categories.update(found.id, inputOf(body, api), expected),
        api,
      );
    },
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteCategory',
    summary: 'Delete a category',
    description: 'Its products stay, without it.',
    policy: ['delete', 'categories'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.categories.delete(found.id, expected);
      return {};
    },
  }),
];

const thumbnailRoutes = [
  defineRoute({
    ...thumbnail,
    method: 'put',
    operation: 'setCategoryThumbnail',
    summary: 'Upload the thumbnail of a category',
    description: THUMBNAIL_DESCRIPTION,
    upload: thumbnailUpload,
    versioned: true,
    reply: { 200: adminCategoryReply },
    handle: async ({ services, found, upload, expected }) => {
      const category = await services.catalog.categories.setThumbnail(found.id, upload.bytes, expected);
      return presentAdminCategory(category, services.paths.api);
    },
  }),
  defineRoute({
    ...thumbnail,
    method: 'delete',
    operation: 'deleteCategoryThumbnail',
    summary: 'Take the thumbnail of a category away',
    versioned: true,
    reply: { 200: adminCategoryReply },
    handle: async ({ services, found, expected }) => {
      const category = await services.catalog.categories.setThumbnail(found.id, null, expected);
      return presentAdminCategory(category, services.paths.api);
    },
  }),
];

export const adminCategoryRoutes = [...recordRoutes, ...thumbnailRoutes];

/** @param apiPath path below which the API lives */
function presentCategory(category: CategoryRecord, apiPath: string) {
  return {
    id: category.id,
    slug: category.slug,
    name: category.name,
    short_description: category.shortDescription,
    description: category.description,
    thumbnail_url: presentThumbnail(category.thumbnailUrl, apiPath),
    products_count: category.productsCount,
    translations: presentTranslations(category.translations),
  };
}

/** A category as admins see it. */
function presentAdminCategory(category: CategoryRecord, apiPath: string) {
  return { ...presentCategory(category, apiPath), created_at: category.createdAt, updated_at: category.updatedAt };
}
