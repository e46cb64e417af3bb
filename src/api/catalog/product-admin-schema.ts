import Joi from 'joi';
import {
  PLAN_STATUSES,
  PRODUCT_APPROVALS,
  VISIBILITIES,
  type ProductApproval,
  type Visibility,
} from '../../domain/catalog/index.js';
import {
  recordReferencesField,
  catalogSlugField,
  textFields,
  thumbnailUrlField,
  translationsField,
  translationsReply,
  type TextFields,
} from './catalog-fields.js';
import { idReply } from '../fields.js';
import { productFields } from './product-schema.js';

type References = (string | number)[];

/** Becomes part of gateway URLs (S56). */
const gatewayProductId = Joi.string()
  .pattern(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/)
  .messages({
    'string.pattern.base':
      '{#label} must be 1 to 100 letters, digits, spaces, dots, dashes and underscores, and begin with a letter or digit',
  })
  .description('What the gateway calls it; the slug by default.')
  .example('payments-v1');

const tags = Joi.array()
  .items(
    Joi.string()
      .max(50)
      .pattern(/^[^\p{C}\p{Z}](?:[^\p{C}]*[^\p{C}\p{Z}])?$/u)
      .messages({ 'string.pattern.base': '{#label} must not begin or end with spaces or hold control characters' }),
  )
  .max(50)
  .description('Replaced whole.')
  .example(['payments', 'refunds']);

const customAttributes = Joi.object<Record<string, string | number | boolean>>()
  .pattern(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    Joi.alternatives(Joi.string().allow('').max(1000), Joi.number(), Joi.boolean()),
  )
  .max(50)
  .description('Shown to everybody who sees the product; replaced whole.')
  .example({ owner: 'Payments team' });

const categories = recordReferencesField('payments').description('Slugs or ids; replaced whole.');
const audiences = recordReferencesField('partners').description('Names or ids; replaced whole.');

const plans = recordReferencesField('free').description('Slugs or ids of the plans that it offers; replaced whole.');
const defaultPlan = Joi.string()
  .max(100)
  .allow(null)
  .description('Slug of one of its plans; without it the present one stays, or the first is taken.');

export interface ProductBody {
  slug?: string;
  name?: string;
  short_description?: string;
  description?: string;
  visibility?: Visibility;
  approval?: ProductApproval;
  gateway_product_id?: string;
  agents?: boolean;
  tags?: string[];
  categories?: References;
  audiences?: References;
  plans?: References;
  default_plan?: string | null;
  thumbnail_url?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
  translations?: Record<string, TextFields>;
}

const fields = {
  slug: catalogSlugField,
  ...textFields,
  visibility: Joi.string().valid(...VISIBILITIES),
  approval: Joi.string()
    .valid(...PRODUCT_APPROVALS)
    .description(
      '`manual`: an admin opens the product for each key; `once`: for the first key of a team or a developer.',
    ),
  gateway_product_id: gatewayProductId,
  agents: Joi.boolean().description('false: no text and no tool for agents tells of it; its pages do.').example(true),
  tags,
  categories,
  audiences: audiences.example([], { override: true }),
  plans,
  default_plan: defaultPlan.example(null),
  thumbnail_url: thumbnailUrlField,
  custom_attributes: customAttributes,
  translations: translationsField,
};

export interface NewProductBody extends ProductBody {
  slug: string;
  name: string;
  spec?: string;
}

export const newProductBody = Joi.object<NewProductBody>({
  ...fields,
  slug: catalogSlugField.required(),
  name: textFields.name.required(),
  visibility: fields.visibility.description('`draft` by default: only admins see it.'),
  spec: Joi.string()
    .description(
      'Its document, as JSON or YAML text, where it fits into a body; `PUT /admin/products/{id}/spec` takes larger ones.',
    )
    .example('{"openapi":"3.1.0","info":{"title":"Payments","version":"1"},"paths":{}}'),
}).label('NewProductInput');

export const productBody = Joi.object<ProductBody>(fields).label('ProductInput');

export const productCategoriesBody = Joi.object<{ categories: References }>({
  categories: categories.required(),
}).label('ProductCategoriesInput');

export const productAudiencesBody = Joi.object<{ audiences: References }>({ audiences: audiences.required() }).label(
  'ProductAudiencesInput',
);

export const productPlansBody = Joi.object<{ plans: References; default_plan?: string | null }>({
  plans: plans.required(),
  default_plan: defaultPlan.example(null),
}).label('ProductPlansInput');

/** For documentation only; the body is parsed where documents are read (S48). */
export const specBody = Joi.object({
  spec: Joi.alternatives(Joi.object().unknown(), Joi.string())
    .description('The OpenAPI or AsyncAPI document itself, its JSON or YAML text, or the text of a GraphQL schema.')
    .example({ openapi: '3.1.0', info: { title: 'Payments', version: '1' }, paths: {} }),
  url: Joi.string()
    .max(2048)
    .description('Where to fetch it from, by https.')
    .example('https://example.com/openapi.yaml'),
})
  .xor('spec', 'url')
  .label('SpecInput');

const audience = Joi.object({ id: idReply.required(), name: Joi.string().required().example('partners') });
const plan = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('free'),
  name: Joi.string().required().example('Free'),
  status: Joi.string()
    .valid(...PLAN_STATUSES)
    .required()
    .example('active'),
  is_default: Joi.boolean().required(),
});
const translations = translationsReply.description('Locale → texts. In lists only with `with=translations`.');

export const adminProductReply = Joi.object({
  ...productFields,
  visibility: Joi.string()
    .valid(...VISIBILITIES)
    .required(),
  spec_url: productFields.spec_url.example('/api/v1/admin/products/payments/spec'),
  gateway_product_id: Joi.string().required().example('payments-v1'),
  agents: Joi.boolean().required().description('Whether texts and tools for agents tell of it.').example(true),
  audiences: Joi.array().items(audience).description('In lists only with `with=audiences`.'),
  plans: Joi.array().items(plan).description('Plans that it offers. In lists only with `with=plans`.'),
  default_plan: Joi.string().allow(null).description('Slug; null without plans.').example('free'),
  translations,
}).label('AdminProduct');

export const adminProductListReply = Joi.array().items(adminProductReply);

export const gatewayProductListReply = Joi.array().items(
  Joi.object({
    name: Joi.string().required().example('payments-v1'),
    display_name: Joi.string().allow('').required().example('Payments'),
    description: Joi.string().allow('').required(),
    product: Joi.object({ id: idReply.required(), slug: Joi.string().required().example('payments') })
      .allow(null)
      .required()
      .description('The product of the portal that stands for it.'),
  }).label('GatewayProduct'),
);
