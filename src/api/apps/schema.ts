import Joi, { type ObjectSchema } from 'joi';
import {
  APP_NAME,
  APP_TEXT_MAX,
  APPROVAL_STATUSES,
  PLAN_TIMES,
  RESERVED_APP_NAMES,
  type PlanTime,
  type ProductChoice,
} from '../../domain/apps/index.js';
import { limitsReply } from '../catalog/plan-schema.js';
import { idParam, idReply, instantField, nameField, textField, timestampReply } from '../fields.js';
import { overrideTerms, trialOfKey } from './terms-schema.js';
import type { AppParams, CredentialParams, GrantParams, NextPlanParams, OwnerParams } from './find.js';

const MINUTE_S = 60;
const TEN_YEARS_S = 10 * 365 * 24 * 3600;
const LONGEST_OVERLAP_S = 90 * 24 * 3600;
const MOST_PRODUCTS = 50;

const appName = Joi.string()
  .pattern(APP_NAME)
  .custom((name: string, helpers) =>
    RESERVED_APP_NAMES.includes(name.toLowerCase()) ? helpers.error('app.name') : name,
  )
  .messages({
    'string.pattern.base':
      '{#label} must be 1 to 100 letters, digits, dots, dashes and underscores, and begin with a letter or digit',
    'app.name': '{#label} must not be create',
  })
  .example('checkout');

/** Path schemas of one entry point. */
export interface EntryPointParams {
  readonly owner: Joi.ObjectSchema<OwnerParams>;
  readonly app: Joi.ObjectSchema<AppParams>;
  readonly credential: Joi.ObjectSchema<CredentialParams>;
  readonly grant: Joi.ObjectSchema<GrantParams>;
  readonly plan: Joi.ObjectSchema<NextPlanParams>;
}

/** The parameters of all routes below `owner`. */
function paramsBelow(owner: { readonly user?: Joi.NumberSchema; readonly team?: Joi.NumberSchema }): EntryPointParams {
  const app = { ...owner, appName: appName.required() };
  const credential = { ...app, id: idParam };
  const product = Joi.string().max(100).required().description('Slug or id.').example('payments');
  const plan = Joi.string().max(100).required().description('Slug of the plan that is to come.').example('pro');
  return {
    owner: Joi.object<OwnerParams>(owner),
    app: Joi.object<AppParams>(app),
    credential: Joi.object<CredentialParams>(credential),
    grant: Joi.object<GrantParams>({ ...credential, product }),
    plan: Joi.object<NextPlanParams>({ ...credential, product, plan }),
  };
}

export const ownParams = paramsBelow({});
export const userAppParams = paramsBelow({ user: idParam.description('Id of the developer.') });
export const teamAppParams = paramsBelow({ team: idParam.description('Id of the team.').example(4) });

const expiresIn = Joi.number()
  .integer()
  .min(MINUTE_S)
  .max(TEN_YEARS_S)
  .description('Seconds that the key lives; at most, and by default, what this portal lets keys live.')
  .example(7_776_000);

const planSlug = Joi.string().max(100);

/** Slugs; ids are accepted too, and objects that name a plan. */
const products = Joi.array()
  .items(
    Joi.string().max(100),
    Joi.number().integer().positive(),
    Joi.object<ProductWithPlan>({ slug: Joi.string().max(100).required(), plan: planSlug }),
  )
  .max(MOST_PRODUCTS)
  .example(['payments']);

interface ProductWithPlan {
  slug: string;
  plan?: string;
}

type ProductItem = string | number | ProductWithPlan;

const PLANS_OF_PRODUCTS = '`{"slug": …, "plan": …}` names a plan of the product; otherwise it gets the default one.';

export function readProducts(items: readonly ProductItem[]): ProductChoice[] {
  return items.map((item) => (typeof item === 'object' ? { product: item.slug, plan: item.plan } : item));
}

const description = textField(APP_TEXT_MAX.description).example('Takes payments in our shop.');

const callbackUrl = Joi.string()
  .uri({ scheme: ['https', 'http'] })
  .max(APP_TEXT_MAX.callbackUrl)
  .allow(null)
  .example('https://shop.example.com/callback');

interface AppFields {
  display_name?: string;
  description?: string;
  callback_url?: string | null;
}

const appFields = {
  display_name: nameField(APP_TEXT_MAX.displayName).example('Checkout'),
  description,
  callback_url: callbackUrl,
};

export type NewAppBody = AppFields & { name: string; products?: ProductItem[]; expires_in?: number };

export const newAppBody = Joi.object<NewAppBody>({
  name: appName.required(),
  ...appFields,
  products: products.description(`Slugs or ids. With any, the app gets its first credential. ${PLANS_OF_PRODUCTS}`),
  expires_in: expiresIn,
}).label('NewAppInput');

export type AppBody = AppFields & { name?: string; products?: ProductItem[]; expires_in?: number };

export const appBody = Joi.object<AppBody>({
  name: appName.description('The present name; names are never changed.'),
  ...appFields,
  products: products
    .items(Joi.object({ slug: Joi.string().max(100).required(), plan: planSlug }).unknown())
    .description(
      'Slugs or ids of all products of the app. New ones are put on each key that is alive and not replaced; those left ' +
        'out are taken off all keys. An app without such a key gets one, which only this answer shows in full. ' +
        `${PLANS_OF_PRODUCTS} Products that the app has keep their plan.`,
    ),
  expires_in: expiresIn.description('Seconds that this new key lives.'),
}).label('AppInput');

export const newCredentialBody = Joi.object<{ products: ProductItem[]; expires_in?: number }>({
  products: products.min(1).required().description(PLANS_OF_PRODUCTS),
  expires_in: expiresIn,
}).label('NewCredentialInput');

export const rotationBody = Joi.object<{ overlap?: number; expires_in?: number }>({
  overlap: Joi.number()
    .integer()
    .min(0)
    .max(LONGEST_OVERLAP_S)
    .description('Seconds that the old key still works; 0 ends it at once. By default a day.')
    .example(86_400),
  expires_in: expiresIn,
}).label('RotationInput');

export const addProductsBody = Joi.object<{ products: ProductItem[] }>({
  products: products.min(1).required().description(PLANS_OF_PRODUCTS),
}).label('CredentialProductsInput');

export const planChangeBody = Joi.object<{ plan: string; when?: PlanTime }>({
  plan: planSlug.required().description('Slug of a plan that the product offers.').example('pro'),
  when: Joi.string()
    .valid(...PLAN_TIMES)
    .description('`period_end`: when the longest period of the present plan’s quotas ends. By default now.')
    .example('now'),
}).label('PlanChangeInput');

export const versionMoveBody = Joi.object<{ plan: string; at?: Date }>({
  plan: planSlug.required().description('Slug of the plan.').example('pro'),
  at: instantField().description('When the active version comes; the developer is told by mail. By default now.'),
}).label('VersionMoveInput');

export const approvalBody = Joi.object<{ reason?: string }>({
  reason: textField(500).empty('').description('The developer sees it as `status_reason`.').example('Contract signed.'),
}).label('ApprovalInput');

const approval = {
  status: Joi.string()
    .valid(...APPROVAL_STATUSES)
    .required(),
  status_reason: Joi.string().allow(null).required().example(null),
  revoked_by: Joi.string().valid('developer', 'admin').allow(null).required().example(null),
};

export const productOnKey = Joi.object({
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
  status: approval.status,
});

/** A plan as records name it. */
export const planOfKey = Joi.object({
  slug: Joi.string().required().example('pro'),
  name: Joi.string().required().example('Pro'),
  version: Joi.number().integer().required().example(1),
});

const planOnKey = planOfKey.keys(limitsReply);
const nextPlanOnKey = planOnKey.keys({
  status: Joi.string().valid('pending', 'approved').required().description('`pending`: an admin has to approve it.'),
  asked_by: Joi.string().valid('developer', 'admin').required(),
  at: timestampReply.required().description('When it comes, if it is approved by then.'),
});

const grant = productOnKey.keys({
  status_reason: approval.status_reason,
  revoked_by: approval.revoked_by,
  plan: planOnKey.allow(null).required().description('null: no limits.'),
  override: Joi.object({ ...limitsReply, ...overrideTerms })
    .allow(null)
    .required()
    .description('What an admin raised for the app: these limits hold instead of those of the plan.'),
  trial: trialOfKey.allow(null).required().description('The plan is being tried.'),
  next_plan: nextPlanOnKey.allow(null).required().description('The plan that it is to have.'),
});

export const credentialReply = Joi.object({
  id: idReply.required(),
  consumer_key: Joi.string()
    .required()
    .description('Masked, but in the answer that creates, rotates or reveals the credential.')
    .example('port••••x3Qa'),
  consumer_secret: Joi.string()
    .description('Only in the answer that creates, rotates or reveals the credential.')
    .example('portal_live_secret_6dRkf0sQmWc2nYv8TzLpA1uHeXbG4iJo1NYtLL'),
  ...approval,
  status: Joi.string()
    .valid(...APPROVAL_STATUSES, 'expired')
    .required(),
  issued_at: timestampReply.required(),
  expires_at: timestampReply.allow(null).required(),
  last_used_at: timestampReply.allow(null).required().description('To the minute.'),
  last_used_as_of: timestampReply
    .allow(null)
    .required()
    .description('When the gateway told so: some time ago while it is away; null when it has told nothing.'),
  replaced_by: idReply.allow(null).required().description('Id of the credential that took its place by rotation.'),
  products: Joi.array().items(grant).required(),
}).label('Credential');

/** For the answers that contain the full key. */
export const issuedCredentialReply = credentialReply
  .keys({
    consumer_key: Joi.string()
      .required()
      .description('In full.')
      .example('portal_live_W4rZ9yQk2sVb8nXc1dLmTg5hJf7aGALZ3nx3Qa'),
    consumer_secret: Joi.string()
      .required()
      .description('In full.')
      .example('portal_live_secret_6dRkf0sQmWc2nYv8TzLpA1uHeXbG4iJo1NYtLL'),
  })
  .label('IssuedCredential');

export const credentialListReply = Joi.array().items(credentialReply);
const issuedCredentials = Joi.array()
  .items(issuedCredentialReply)
  .required()
  .description('The first key, when products were named.');

const listedApp = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().example('checkout'),
  display_name: Joi.string().required().example('Checkout'),
  description: Joi.string().allow('').required(),
  callback_url: Joi.string().allow(null).required().example('https://shop.example.com/callback'),
  ...approval,
  first_called_at: timestampReply
    .allow(null)
    .required()
    .description('When its first call was allowed at a verify endpoint, as far as calls are counted.'),
  credentials: credentialListReply.description('In lists only with `with=credentials`.'),
  products: Joi.array()
    .items(productOnKey)
    .description('Products of its keys, with the best of their states. In lists only with `with=products`.'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
});
const whole = {
  credentials: credentialListReply.required(),
  products: Joi.array()
    .items(productOnKey)
    .required()
    .description('Products of its keys, with the best of their states.'),
};
/** The developer of an app. */
export const owner = Joi.object({
  id: idReply.required(),
  email: Joi.string().required().example('ada@example.com'),
  full_name: Joi.string().required().example('Ada Lovelace'),
  status: Joi.string().valid('active', 'inactive', 'pending').required(),
});

const ofUser = { user_id: idReply.required().description('Id of its developer, or of the account of its team.') };
const team = Joi.object({ id: idReply.required(), name: Joi.string().required().example('Analytical Engines') })
  .allow(null)
  .description('The team that owns it; null: a developer does.')
  .example(null, { override: true });
const owning = { user: owner.required(), team: team.required() };

/** Lists include credentials and products on request, answers with a single app always do. */
export const ownAppReplies: AppReplies = {
  listed: listedApp.label('AppListItem'),
  one: listedApp.keys(whole).label('App'),
  created: listedApp.keys({ ...whole, credentials: issuedCredentials }).label('CreatedApp'),
};

export const userAppReplies: AppReplies = {
  listed: listedApp.keys(ofUser).label('UserAppListItem'),
  one: listedApp.keys({ ...whole, ...ofUser, ...owning }).label('UserApp'),
  created: listedApp.keys({ ...whole, ...ofUser, ...owning, credentials: issuedCredentials }).label('CreatedUserApp'),
};

/** Reply schemas of an app. */
export interface AppReplies {
  readonly listed: ObjectSchema;
  readonly one: ObjectSchema;
  /** With the first key in full. */
  readonly created: ObjectSchema;
}

export const listedCredentialListReply = Joi.array().items(
  Joi.object({
    id: idReply.required(),
    consumer_key: Joi.string().required().description('Masked.').example('port••••x3Qa'),
    ...approval,
    status: Joi.string()
      .valid(...APPROVAL_STATUSES, 'expired')
      .required(),
    issued_at: timestampReply.required(),
    expires_at: timestampReply.allow(null).required(),
    replaced_by: idReply.allow(null).required().description('Id of the credential that took its place by rotation.'),
    products: Joi.array().items(grant).description('With `with=products`.'),
    app: Joi.object({
      name: Joi.string().required().example('checkout'),
      display_name: Joi.string().required().example('Checkout'),
      status: approval.status,
    }).required(),
    user: owner.required(),
    team: team.required(),
  }).label('ListedCredential'),
);

export const listedAppListReply = Joi.array().items(
  userAppReplies.listed
    .keys({
      user: owner.description('With `with=user`.'),
      team: team.description('With `with=user`: the team that owns it.'),
    })
    .label('ListedApp'),
);
