import Joi from 'joi';
import {
  CLOSINGS,
  DEPRECATION_STATES,
  OPERATION_METHODS,
  type Brownout,
  type OperationMethod,
} from '../../domain/catalog/index.js';
import { idParam, idReply, instantField, textField, timestampReply } from '../fields.js';
import { referenceParams } from './catalog-fields.js';

export const deprecationParams = referenceParams.append<{ id: string; deprecation: number }>({ deprecation: idParam });

export interface DeprecationBody {
  deprecated_at?: Date;
  sunset_at?: Date | null;
  closes?: 'automatic' | 'manual';
  replacement_url?: string | null;
  guide_url?: string | null;
  description?: string;
  base_path?: string;
  brownouts?: { from: Date; to: Date }[];
}

export interface NewDeprecationBody extends DeprecationBody {
  version?: string | null;
  method?: OperationMethod | null;
  path?: string | null;
}

const pathField = (max: number) =>
  Joi.string()
    .max(max)
    .pattern(/^\/[\x21-\x7e]*$/)
    .messages({ 'string.pattern.base': '{#label} must begin with a slash and hold no space' });

const address = Joi.string().max(2_048).allow(null);

const fields = {
  deprecated_at: instantField()
    .description('From when on it should not be used any more; it may lie in the future. By default now.')
    .example('2026-07-01T00:00Z'),
  sunset_at: instantField()
    .allow(null)
    .description('When it ends: at least `catalog.sunsetDays` after the deprecation; null: not known yet.')
    .example('2030-01-01T00:00Z'),
  closes: Joi.string()
    .valid(...CLOSINGS)
    .description('Whether keys are refused from the sunset on by itself, or once an admin says so.')
    .example('automatic'),
  replacement_url: address
    .description('Address of what comes instead, https; callers get it as `successor-version`.')
    .example('https://docs.example.com/v3'),
  guide_url: address
    .description('Address of what to do, https; without it callers are sent to the page of the product.')
    .example('https://docs.example.com/migrate'),
  description: textField(1_000).description('What to do, in a few words.').example('Use version 3 instead.'),
  base_path: pathField(200)
    .allow('')
    .description(
      'What stands before the path of an operation where the gateway is called; by default that of the document.',
    )
    .example('/v1'),
  brownouts: Joi.array()
    .items(
      Joi.object({
        from: instantField().required().example('2026-11-01T10:00Z'),
        to: instantField().required().example('2026-11-01T10:30Z'),
      }),
    )
    .max(50)
    .description(
      'Planned times, of 24 hours at most, in which calls are refused so that whoever still makes them notices.',
    )
    .example([]),
};

export const deprecationBody = Joi.object<DeprecationBody>(fields).label('DeprecationInput');

export const newDeprecationBody = Joi.object<NewDeprecationBody>({
  version: Joi.string()
    .pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .allow(null)
    .description('Name of the version that ends; null: the whole product.')
    .example(null),
  method: Joi.string()
    .valid(...OPERATION_METHODS)
    .allow(null)
    .description('Of the one operation that ends; null: all of them.')
    .example(null),
  path: pathField(500).allow(null).description('Its path as the document writes it: `/payments/{id}`.').example(null),
  ...fields,
}).label('NewDeprecationInput');

export interface AnnounceBody {
  notice?: boolean;
}

export const announceBody = Joi.object<AnnounceBody>({
  notice: Joi.boolean()
    .description('Whether those whom it hits get a mail, a notice and a webhook. By default yes.')
    .example(true),
}).label('AnnounceInput');

export interface RetireBody {
  early?: boolean;
}

export const retireBody = Joi.object<RetireBody>({
  early: Joi.boolean()
    .description('Before its sunset, although callers were promised more time. By default no.')
    .example(true),
}).label('RetireInput');

const parts = {
  version: Joi.string().allow(null).required().example('v1'),
  method: Joi.string().allow(null).required().example('GET'),
  path: Joi.string().allow(null).required().example('/payments/{id}'),
};

const terms = {
  state: Joi.string()
    .valid(...DEPRECATION_STATES)
    .required()
    .description('`retired`: keys are refused.')
    .example('announced'),
  deprecated_at: timestampReply.required(),
  sunset_at: timestampReply.allow(null).required(),
  replacement_url: Joi.string().allow(null).required().example('https://docs.example.com/v3'),
  guide_url: Joi.string().allow(null).required().example('https://docs.example.com/migrate'),
  description: Joi.string().allow('').required().example('Use version 3 instead.'),
};

/** That a product ends, as its record says it. */
export const productDeprecationReply = Joi.object(terms)
  .allow(null)
  .description('That the whole product ends; null: it does not.')
  .label('ProductDeprecation');

const brownouts = Joi.array()
  .items(Joi.object({ from: timestampReply.required(), to: timestampReply.required() }))
  .required()
  .description('When calls are refused for a while.');

const publishedDeprecationReply = Joi.object({
  id: idReply.required(),
  ...parts,
  ...terms,
  brownouts,
}).label('PublishedDeprecation');

export const publishedDeprecationListReply = Joi.array().items(publishedDeprecationReply);

export const deprecationReply = Joi.object({
  id: idReply.required(),
  name: Joi.string().required().description('How people call the part.').example('GET /payments/{id}'),
  product: Joi.object({
    id: idReply.required(),
    slug: Joi.string().required().example('payments'),
    name: Joi.string().required().example('Payments'),
  }).required(),
  ...parts,
  ...terms,
  closes: Joi.string()
    .valid(...CLOSINGS)
    .required(),
  base_path: Joi.string().allow('').required().example('/v1'),
  brownouts,
  announced_at: timestampReply.allow(null).required(),
  retired_at: timestampReply.allow(null).required(),
  created_at: timestampReply.required(),
  updated_at: timestampReply.required(),
}).label('Deprecation');

export const deprecationListReply = Joi.array().items(deprecationReply);

/** Brownouts as the domain keeps them. */
export function readBrownouts(windows: DeprecationBody['brownouts']): Brownout[] | undefined {
  return windows?.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() }));
}
