import Joi from 'joi';
import { mapPage } from '../../core/index.js';
import { fullName } from '../../domain/accounts/index.js';
import { audienceList, type AudienceRecord, MOST_SHOWN } from '../../domain/catalog/index.js';
import { created, paginated } from '../../http/index.js';
import { defineRoute, type PathContext } from '../define-route.js';
import { recordDeletion, idParam, idReply, nameField, timestampReply } from '../fields.js';
import { recordReferencesField, shortTextField } from './catalog-fields.js';

type References = (string | number)[];

const audienceParams = Joi.object<{ id: number }>({ id: idParam });

const users = recordReferencesField('ada@example.com', MOST_SHOWN).description('E-mails or ids; replaced whole.');
const products = recordReferencesField('payments').description('Slugs or ids; replaced whole.');

interface AudienceBody {
  name?: string;
  description?: string;
  users?: References;
  products?: References;
}

const fields = {
  name: nameField(100).example('partners'),
  description: shortTextField.example('Companies with a contract.'),
  users,
  products,
};

const newAudienceBody = Joi.object<AudienceBody & { name: string }>({
  ...fields,
  name: fields.name.required(),
}).label('NewAudienceInput');

const audienceBody = Joi.object<AudienceBody>(fields).label('AudienceInput');

const audienceUsersBody = Joi.object<{ users: References }>({ users: users.required() }).label('AudienceUsersInput');

const audienceProductsBody = Joi.object<{ products: References }>({ products: products.required() }).label(
  'AudienceProductsInput',
);

const member = Joi.object({
  id: idReply.required(),
  email: Joi.string().required().example('ada@example.com'),
  full_name: Joi.string().required().example('Ada Lovelace'),
});

const product = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
});

const audienceReply = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('partners'),
  description: Joi.string().allow('').required().example('Companies with a contract.'),
  users_count: Joi.number().integer().required().example(12),
  products_count: Joi.number().integer().required().example(2),
  users: Joi.array().items(member).description(`The first ${MOST_SHOWN} by e-mail. In lists only with \`with=users\`.`),
  products: Joi.array()
    .items(product)
    .description(`The first ${MOST_SHOWN} by slug. In lists only with \`with=products\`.`),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Audience');

const audienceListReply = Joi.array().items(audienceReply);

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
