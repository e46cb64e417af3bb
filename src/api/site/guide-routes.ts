import { viewerOf } from '../../domain/catalog/index.js';
import { adminGuideList, guideList, type AdminGuide, type Guide } from '../../domain/content/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage, ValidationError } from '../../core/index.js';
import type { PortalServices } from '../../domain/services.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import {
  adminGuideListReply,
  adminGuideReply,
  guideBody,
  guideInputOf,
  guideListReply,
  guideParams,
  guideReply,
  newGuideBody,
} from './guide-schema.js';

const shown = { context: 'consumer', auth: 'optional', tag: 'Guides', localized: true } as const;

export const guideRoutes = [
  defineRoute({
    ...shown,
    method: 'get',
    path: '/guides',
    operation: 'listGuides',
    summary: 'List guides and news',
    description:
      'Those that the caller may see, of the portal and of the products that the caller sees. Their texts are in the ' +
      'language of the request.',
    list: guideList.options,
    reply: { 200: guideListReply },
    handle: async ({ services, actor, list, locale }) => {
      const page = await services.content.guides.list(list, viewerOf(actor), locale);
      const texts = await Promise.all(
        page.items.map((guide) => services.content.texts.asMarkdown(guide, viewerOf(actor), locale)),
      );
      return paginated({ ...page, items: page.items.map((guide, at) => presentGuide(guide, texts[at] ?? '')) });
    },
  }),
  defineRoute({
    ...shown,
    method: 'get',
    path: '/guides/:id',
    operation: 'getGuide',
    summary: 'Show a guide or news',
    params: guideParams,
    reply: { 200: guideReply },
    find: ({ services, actor, params, locale }) => services.content.guides.find(params.id, viewerOf(actor), locale),
    handle: async ({ services, actor, found, locale }) =>
      presentGuide(found, await services.content.texts.asMarkdown(found, viewerOf(actor), locale)),
  }),
];

const guides = { context: 'admin', tag: 'Guides of the portal', path: '/guides' } as const;
const one = {
  ...guides,
  path: '/guides/:id',
  params: guideParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.content.guides.findForAdmin(params.id),
} as const;

export const adminGuideRoutes = [
  defineRoute({
    ...guides,
    method: 'get',
    operation: 'listAdminGuides',
    summary: 'List guides and news',
    description: 'Drafts included. Texts are those of the default locale; translations with `with`.',
    policy: ['view', 'guides'],
    list: adminGuideList.options,
    reply: { 200: adminGuideListReply },
    handle: async ({ services, list }) => {
      const page = await services.content.guides.listForAdmin(list);
      return paginated(mapPage(page, (guide) => presentAdminGuide(guide, list.with)));
    },
  }),
  defineRoute({
    ...guides,
    method: 'post',
    operation: 'createGuide',
    summary: 'Write a guide or news',
    description: 'A draft, unless `visibility` says otherwise. Kind and product stay for good.',
    policy: ['create', 'guides'],
    body: newGuideBody,
    reply: { 201: adminGuideReply },
    handle: async ({ services, body }) => {
      const { kind = 'guide', product = null, name, slug } = body;
      const place = { kind, productId: product === null ? null : await findProduct(services, product) };
      const input = { ...guideInputOf(body), name, slug };
      return created(presentAdminGuide(await services.content.guides.create(place, input)));
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getAdminGuide',
    summary: 'Show a guide or news',
    policy: ['view', 'guides'],
    reply: { 200: adminGuideReply },
    handle: ({ found }) => presentAdminGuide(found),
  }),
  defineRoute({
    ...one,
    method: 'put',
    operation: 'updateGuide',
    record: true,
    errors: [409],
    summary: 'Change a guide or news',
    description: 'Refused with 409 for one that is managed in files.',
    policy: ['update', 'guides'],
    body: guideBody,
    versioned: true,
    reply: { 200: adminGuideReply },
    handle: async ({ services, found, body, expected }) =>
      presentAdminGuide(await services.content.guides.update(found.id, guideInputOf(body), expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteGuide',
    errors: [409],
    summary: 'Delete a guide or news',
    description: 'Refused with 409 for one that is managed in files.',
    policy: ['delete', 'guides'],
    handle: async ({ services, found, expected }) => {
      await services.content.guides.delete(found.id, expected);
      return {};
    },
  }),
];

/** @throws ValidationError on `product` */
export async function findProduct({ catalog }: PortalServices, product: string): Promise<number> {
  try {
    return (await catalog.products.findForAdmin(product)).id;
  } catch {
    throw new ValidationError({ product: [`There is no product ${JSON.stringify(product)}.`] });
  }
}

/** @param text as its reader may see it */
function presentGuide(guide: Guide, text: string) {
  return { ...factsOf(guide), description: text, updated_at: guide.updatedAt };
}

/** A guide as admins see it. List parts that were not requested are left out. */
export function presentAdminGuide(guide: AdminGuide, relations: readonly string[] = ['audiences', 'translations']) {
  return {
    ...factsOf(guide),
    ...{ visibility: guide.visibility, file: guide.file },
    ...(relations.includes('audiences') && { audiences: guide.audiences }),
    ...(relations.includes('translations') && { translations: presentTexts(guide.translations) }),
    ...{ created_at: guide.createdAt, updated_at: guide.updatedAt },
  };
}

function factsOf({ id, kind, product, slug, name, shortDescription, description, group, ...guide }: Guide) {
  return {
    ...{ id, kind, product, slug, name, short_description: shortDescription, description, group },
    ...{ position: guide.position, published_at: guide.publishedAt },
  };
}

/** Texts of other languages as JSON. */
export function presentTexts(translations: AdminGuide['translations']) {
  return Object.fromEntries(
    Object.entries(translations).map(
      ([locale, { name = null, shortDescription = null, description = null, group = null }]) => [
        locale,
        { name, short_description: shortDescription, description, group },
      ],
    ),
  );
}
