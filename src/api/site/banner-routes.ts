import { viewerOf } from '../../domain/catalog/index.js';
import { bannerList, type AdminBanner, type BannerRow } from '../../domain/content/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { referenceParams } from '../catalog/catalog-fields.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import { findProduct } from './guide-routes.js';
import {
  adminBannerListReply,
  adminBannerReply,
  bannerBody,
  bannerInputOf,
  bannerParams,
  newBannerBody,
  shownBannersReply,
} from './banner-schema.js';

const shown = {
  context: 'consumer',
  auth: 'optional',
  tag: 'Banners',
  localized: true,
  method: 'get',
  reply: { 200: shownBannersReply },
} as const;

export const bannerRoutes = [
  defineRoute({
    ...shown,
    path: '/banners',
    operation: 'listBanners',
    summary: 'List what the portal tells everybody now',
    description:
      'Maintenance, incidents and news, the worst first, in the language of the request. They end by themselves.',
    handle: async ({ services, locale }) => (await services.content.banners.listShown(null, locale)).map(presentBanner),
  }),
  defineRoute({
    ...shown,
    path: '/api-products/:id/banners',
    operation: 'listApiProductBanners',
    summary: 'List what an API product tells its readers now',
    description: 'Maintenance, incidents and news of the product, the worst first, for whoever may see it.',
    params: referenceParams,
    find: ({ services, actor, params, locale }) => services.catalog.products.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, found, locale }) =>
      (await services.content.banners.listShown(found.id, locale)).map(presentBanner),
  }),
];

const banners = { context: 'admin', tag: 'Banners of the portal', path: '/banners' } as const;
const one = {
  ...banners,
  path: '/banners/:id',
  params: bannerParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.content.banners.find(params.id),
} as const;

export const adminBannerRoutes = [
  defineRoute({
    ...banners,
    method: 'get',
    operation: 'listAdminBanners',
    summary: 'List banners',
    description:
      'Those of the past and of the future, too. Texts are those of the default locale; translations with `with`.',
    policy: ['view', 'banners'],
    list: bannerList.options,
    reply: { 200: adminBannerListReply },
    handle: async ({ services, list }) => {
      const page = await services.content.banners.list(list);
      return paginated(mapPage(page, (banner) => presentAdminBanner(banner, list.with)));
    },
  }),
  defineRoute({
    ...banners,
    method: 'post',
    operation: 'createBanner',
    summary: 'Put up a banner',
    description: 'On the pages of a product, or of the whole portal, from `starts_at` until `ends_at`.',
    policy: ['create', 'banners'],
    body: newBannerBody,
    reply: { 201: adminBannerReply },
    handle: async ({ services, body }) => {
      const { product = null, level, name } = body;
      const productId = product === null ? null : await findProduct(services, product);
      const input = { ...bannerInputOf(body), level, name };
      return created(presentAdminBanner(await services.content.banners.create(productId, input)));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getBanner',
    summary: 'Show a banner',
    policy: ['view', 'banners'],
    reply: { 200: adminBannerReply },
    handle: ({ found }) => presentAdminBanner(found),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateBanner',
    record: true,
    summary: 'Change a banner',
    description: 'Readers see the change at once, on pages of the whole portal within seconds.',
    policy: ['update', 'banners'],
    body: bannerBody,
    versioned: true,
    reply: { 200: adminBannerReply },
    handle: async ({ services, found, body, expected }) =>
      presentAdminBanner(await services.content.banners.update(found.id, bannerInputOf(body), expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteBanner',
    summary: 'Take down a banner',
    policy: ['delete', 'banners'],
    handle: async ({ services, found, expected }) => {
      await services.content.banners.delete(found.id, expected);
      return {};
    },
  }),
];

function presentBanner(banner: BannerRow) {
  return { ...factsOf(banner), updated_at: banner.updatedAt };
}

/** A banner as admins see it. List parts that were not requested are left out. */
function presentAdminBanner(banner: AdminBanner, relations: readonly string[] = ['translations']) {
  const { product, translations, createdAt, updatedAt } = banner;
  return {
    ...factsOf(banner),
    product: product && { id: product.id, slug: product.slug, name: product.name },
    ...(relations.includes('translations') && { translations: presentTexts(translations) }),
    ...{ created_at: createdAt, updated_at: updatedAt },
  };
}

function factsOf({ id, level, name, shortDescription, startsAt, endsAt }: BannerRow) {
  return { id, level, name, short_description: shortDescription, starts_at: startsAt, ends_at: endsAt };
}

function presentTexts(translations: AdminBanner['translations']) {
  return Object.fromEntries(
    Object.entries(translations).map(([locale, { name = null, shortDescription = null }]) => [
      locale,
      { name, short_description: shortDescription },
    ]),
  );
}
