import { audienceList, type AudienceRecord } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { mapPage } from '../../core/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion } from '../fields.js';
import {
  audienceBody,
  audienceListReply,
  audienceParams,
  audienceProductsBody,
  audienceReply,
  audienceUsersBody,
  newAudienceBody,
} from './audience-schema.js';
import { fullName } from '../../domain/accounts/index.js';

const audiences = { context: 'admin', tag: 'Audiences' } as const;
const one = {
  ...audiences,
  path: '/audiences/:id',
  params: audienceParams,
  find: ({ services, params }: PathContext<{ id: number }>) => services.catalog.audiences.find(params.id),
} as const;
const changing = { ...one, method: 'put', policy: ['update', 'audiences'], versioned: true } as const;

export const audienceRoutes = [
  defineRoute({
    ...audiences,
    method: 'get',
    path: '/audiences',
    operation: 'listAudiences',
    summary: 'List audiences',
    policy: ['view', 'audiences'],
    list: audienceList.options,
    reply: { 200: audienceListReply },
    handle: async ({ services, list }) =>
      paginated(mapPage(await services.catalog.audiences.list(list), presentAudience)),
  }),
  defineRoute({
    ...audiences,
    method: 'post',
    path: '/audiences',
    operation: 'createAudience',
    errors: [409],
    summary: 'Create an audience',
    description: 'Refused with 409 for products that files manage, where only those may change them.',
    policy: ['create', 'audiences'],
    body: newAudienceBody,
    reply: { 201: audienceReply },
    handle: async ({ services, body }) => created(presentAudience(await services.catalog.audiences.create(body))),
  }),
  defineRoute({
    ...one,
    method: 'get',
    operation: 'getAudience',
    summary: 'Show an audience',
    policy: ['view', 'audiences'],
    reply: { 200: audienceReply },
    handle: ({ found }) => presentAudience(found),
  }),
  defineRoute({
    ...changing,
    operation: 'updateAudience',
    record: true,
    summary: 'Change an audience',
    body: audienceBody,
    reply: { 200: audienceReply },
    handle: async ({ services, found, body, expected }) =>
      presentAudience(await services.catalog.audiences.update(found.id, body, expected)),
  }),
  defineRoute({
    ...one,
    ...recordDeletion,
    operation: 'deleteAudience',
    errors: [409],
    summary: 'Delete an audience',
    description:
      'Its private products are hidden from its members at once; what their keys open stays open. ' +
      'Refused with 409 while plans are for it: without an audience they would be for everybody.',
    policy: ['delete', 'audiences'],
    handle: async ({ services, found, expected }) => {
      await services.catalog.audiences.delete(found.id, expected);
      return {};
    },
  }),
  defineRoute({
    ...changing,
    path: '/audiences/:id/users',
    operation: 'setAudienceUsers',
    summary: 'Say who is in an audience',
    body: audienceUsersBody,
    reply: { 200: audienceReply },
    handle: async ({ services, found, body: { users }, expected }) =>
      presentAudience(await services.catalog.audiences.update(found.id, { users }, expected)),
  }),
  defineRoute({
    ...changing,
    path: '/audiences/:id/products',
    operation: 'setAudienceProducts',
    summary: 'Say which products an audience sees',
    description:
      'It matters for private products: public ones are seen by everybody, drafts by nobody. Refused with 409 for ' +
      'products that files manage, where only those may change them.',
    errors: [409],
    body: audienceProductsBody,
    reply: { 200: audienceReply },
    handle: async ({ services, found, body: { products }, expected }) =>
      presentAudience(await services.catalog.audiences.update(found.id, { products }, expected)),
  }),
];

/** Includes members and products only when they were loaded. */
function presentAudience({ users, products, ...audience }: AudienceRecord) {
  return {
    id: audience.id,
    name: audience.name,
    description: audience.description,
    users_count: audience.usersCount,
    products_count: audience.productsCount,
    ...(users && { users: users.map((user) => ({ id: user.id, email: user.email, full_name: fullName(user) })) }),
    ...(products && { products: products.map(({ id, slug, name }) => ({ id, slug, name })) }),
    created_at: audience.createdAt,
    updated_at: audience.updatedAt,
  };
}
