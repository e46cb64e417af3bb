import Joi from 'joi';
import { PRODUCT_VERSION_STATES, VERSION_NAME, type ProductVersionState } from '../../domain/catalog/index.js';
import { idParam, idReply, nameField, textField, timestampReply } from '../fields.js';
import { referenceParams } from './catalog-fields.js';
import { adminProductReply } from './product-admin-schema.js';

/** Any text: what names no version is answered with 404. */
const versionParam = Joi.string().max(100).required().description('Name of the version.').example('v2');

export const productVersionParams = referenceParams.append<{ id: string; name: string }>({ name: versionParam });

export const comparedVersionsParams = productVersionParams.append<{ id: string; name: string; other: string }>({
  other: versionParam.description('Name of the version that it is compared with.').example('v1'),
});

export const documentParams = referenceParams.append<{ id: string; document: number }>({ document: idParam });

export const comparedDocumentsParams = documentParams.append<{ id: string; document: number; other: number }>({
  other: idParam,
});

const name = Joi.string()
  .pattern(VERSION_NAME)
  .messages({
    'string.pattern.base': '{#label} must be 1 to 40 lower-case letters, digits, dots, dashes and underscores',
  })
  .description('Stands in addresses, after an `@`. Fixed once readers see the version.')
  .example('v2');

const state = Joi.string().valid(...PRODUCT_VERSION_STATES);

export interface ProductVersionBody {
  name?: string;
  state?: ProductVersionState;
  is_default?: boolean;
}

const fields = {
  name,
  state: state
    .description('A draft becomes current, then deprecated, then retired; a step back is one step, never to a draft.')
    .example('current'),
  is_default: Joi.boolean()
    .description('`true` makes it the version that the address of the product shows, instead of the one that is.')
    .example(true),
};

export const newProductVersionBody = Joi.object<ProductVersionBody & { name: string }>({
  ...fields,
  name: name.required(),
  state: state.description('`draft` by default; the first version is `current`.').example('current'),
  is_default: fields.is_default.example(false, { override: true }),
}).label('NewProductVersionInput');

export const productVersionBody = Joi.object<ProductVersionBody>(fields).label('ProductVersionInput');

const shown = {
  name: Joi.string().required().example('v2'),
  state: state.required().example('current'),
  is_default: Joi.boolean().required().description('Shown at the address without a version.'),
  has_spec: Joi.boolean().required(),
  spec_url: Joi.string().allow(null).required().example('/api/v1/api-products/payments@v2/spec'),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
};

/** A version as readers see it. */
const publicVersionReply = Joi.object(shown).label('PublicProductVersion');

export const publicVersionListReply = Joi.array().items(publicVersionReply);

const product = Joi.object({
  id: idReply.required(),
  slug: Joi.string().required().example('payments'),
  name: Joi.string().required().example('Payments'),
});

const versionFields = {
  id: idReply.required(),
  product: product.required(),
  ...shown,
  state: state.required().description('`draft`: only admins see it.').example('current'),
  spec_url: shown.spec_url.example('/api/v1/admin/products/payments/versions/v2/spec', { override: true }),
};

export const productVersionReply = Joi.object(versionFields).label('ProductVersion');

export const productVersionListReply = Joi.array().items(productVersionReply);

const count = Joi.number().integer().required().example(1);

const change = Joi.object({
  level: Joi.string().valid('breaking', 'warning', 'info').required(),
  rule: Joi.string().required().description('By the name that oasdiff gives it.').example('request-property-removed'),
  operation: Joi.string().allow(null).required().description('null for the whole document.').example('POST /payments'),
  pointer: Joi.string()
    .allow('')
    .required()
    .description('JSON pointer into the new document; into the old one for what is gone.')
    .example('/paths/~1payments/post'),
  old: Joi.string().allow(null, '').required(),
  new: Joi.string().allow(null, '').required(),
  text: Joi.string().required().description('A sentence, in the language of the request.'),
}).label('SpecChange');

/** What changed between two documents. */
export const specChangesReply = Joi.object({
  breaking: count.description('Changes that can fail a caller who kept to the old document.'),
  warning: count.description('Changes that may.'),
  info: count.description('Changes that cannot.'),
  more: count.description('Changes that are counted and not listed.').example(0, { override: true }),
  is_complete: Joi.boolean().required().description('Whether all was compared.'),
  changes: Joi.array().items(change).required().description('The breaking ones first.'),
}).label('SpecChanges');

const specChanges = specChangesReply
  .allow(null)
  .required()
  .description('What the document changes for callers; null for a first one and for AsyncAPI and GraphQL.');

const given = {
  spec_changes: specChanges,
  document_hash: Joi.string().required().description('SHA-256 of the document as it is stored.').example('9f86d081…'),
  document_id: idReply
    .allow(null)
    .required()
    .description('Of the history; null for the document that was there, and for a dry run.'),
  drafted_change: Joi.object({ id: idReply.required(), name: Joi.string().required().example('What changed') })
    .allow(null)
    .required()
    .description('The entry of the changelog that was drafted, or goes on; null where nothing is to be told.'),
};

export const productWithChangesReply = adminProductReply.append(given).label('AdminProductWithChanges');

export const versionWithChangesReply = productVersionReply.append(given).label('ProductVersionWithChanges');

/** What is said of a document when it is given, in the query because the body is the document. */
export interface UploadQuery {
  confirm?: boolean;
  reason?: string;
  commit?: string;
  source?: string;
  dry_run?: boolean;
}

export const uploadQuery = Joi.object<UploadQuery>({
  confirm: Joi.boolean().description('A breaking change is meant. Needs a `reason`.').example(true),
  reason: textField(500).description('Why a breaking change is published; kept with the document.').example('Agreed.'),
  commit: nameField(100).description('Commit that the document comes from.').example('9fceb02'),
  source: Joi.string()
    .max(2048)
    .pattern(/^https?:\/\/[^\s\u0000-\u001f\u007f]+$/)
    .messages({ 'string.pattern.base': '{#label} must be an address that begins with https:// or http://' })
    .description('Where the document comes from.')
    .example('https://git.example.com/payments'),
  dry_run: Joi.boolean()
    .description('Only say what the document would change: nothing is written, and nothing is refused for that.')
    .example(false),
});

export const versionQuery = Joi.object<{ version?: string }>({
  version: Joi.string().max(100).description('Name of a version; the default one without.').example('v2'),
});

const counted = Joi.number().integer().allow(null).required().example(0);

/** A document that a product was given. */
export const documentReply = Joi.object({
  id: idReply.required(),
  product: product.required(),
  version: Joi.string().allow(null).required().description('null for the product itself.').example('v2'),
  hash: Joi.string().required().description('SHA-256 of the document as it is stored.').example('9f86d081884c7d65…'),
  previous_hash: Joi.string().allow(null).required().description('Of the document that it replaced.'),
  author: Joi.object({
    type: Joi.string()
      .valid('developer', 'admin', 'service', 'visitor', 'operator', 'system')
      .required()
      .example('admin'),
    id: idReply.allow(null).required(),
    name: Joi.string().allow(null, '').required().example('Ada Byron'),
  }).required(),
  commit: Joi.string().allow(null).required().example('9fceb02'),
  source: Joi.string().allow(null).required().example('https://git.example.com/payments'),
  reason: Joi.string().allow(null, '').required().description('Why a breaking change was published.'),
  breaking: counted.description('Changes that can fail callers; null where nothing was compared.'),
  warnings: counted,
  infos: counted,
  created_at: timestampReply.required(),
}).label('ProductDocument');

export const documentListReply = Joi.array().items(documentReply);
