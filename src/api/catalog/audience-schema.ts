import Joi from 'joi';
import { MOST_SHOWN } from '../../domain/catalog/index.js';
import { recordReferencesField, shortTextField } from './catalog-fields.js';
import { idParam, idReply, nameField, timestampReply } from '../fields.js';

type References = (string | number)[];

export const audienceParams = Joi.object<{ id: number }>({ id: idParam });

const users = recordReferencesField('ada@example.com', MOST_SHOWN).description('E-mails or ids; replaced whole.');
const products = recordReferencesField('payments').description('Slugs or ids; replaced whole.');

export interface AudienceBody {
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

export const newAudienceBody = Joi.object<AudienceBody & { name: string }>({
  ...fields,
  name: fields.name.required(),
}).label('NewAudienceInput');

export const audienceBody = Joi.object<AudienceBody>(fields).label('AudienceInput');

export const audienceUsersBody = Joi.object<{ users: References }>({ users: users.required() }).label(
  'AudienceUsersInput',
);

export const audienceProductsBody = Joi.object<{ products: References }>({ products: products.required() }).label(
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

export const audienceReply = Joi.object({
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

export const audienceListReply = Joi.array().items(audienceReply);
