import { ERROR_SCHEMA, errorResponses } from './errors.js';
import type { JsonSchema } from './json-schema.js';
import { FILTER_SCHEMAS } from './listing.js';

export interface Components {
  readonly schemas: Record<string, JsonSchema>;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly headers: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

interface PaginationSettings {
  readonly portalApi: { readonly pagination: { readonly perPage: number; readonly maxPerPage: number } };
}

/** Components that operations of every portal refer to. */
export function makeSharedComponents({ portalApi }: PaginationSettings): Components {
  return {
    schemas: { Error: ERROR_SCHEMA, Pagination: PAGINATION, ...FILTER_SCHEMAS },
    responses: errorResponses(),
    parameters: parameters(portalApi.pagination),
    headers: HEADERS,
    securitySchemes: {
      developerToken: bearer('The access token of a developer, from `POST /auth/login`.'),
      adminToken: bearer('The access token of an admin, from the login below the admin prefix.'),
    },
  };
}

function bearer(description: string): JsonSchema {
  return { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description };
}

const allowNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] });
const count: JsonSchema = { type: 'integer', minimum: 0 };

const PAGINATION: JsonSchema = {
  type: 'object',
  properties: {
    total: { ...allowNull(count), description: 'Null when `cursor` was used.' },
    count: { ...count, description: 'Records of this page.' },
    per_page: { type: 'integer', minimum: 1 },
    current_page: { ...allowNull(count), description: 'Null when `cursor` was used.' },
    total_pages: allowNull(count),
    next_cursor: { type: ['string', 'null'], description: 'Goes on after the last record; null on the last page.' },
    links: {
      type: 'object',
      properties: { next: { type: ['string', 'null'] }, prev: { type: ['string', 'null'] } },
      required: ['next', 'prev'],
    },
  },
  examples: [
    {
      ...{ total: 1, count: 1, per_page: 15, current_page: 1, total_pages: 1, next_cursor: null },
      links: { next: null, prev: null },
    },
  ],
  required: ['total', 'count', 'per_page', 'current_page', 'total_pages', 'next_cursor', 'links'],
};

function parameters({ perPage, maxPerPage }: { readonly perPage: number; readonly maxPerPage: number }) {
  return {
    Page: query('page', 'Which page, from 1; further on only with `cursor`.', {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 1,
    }),
    PerPage: query('per_page', `Records of a page; more than ${maxPerPage} is taken for ${maxPerPage}.`, {
      type: 'integer',
      minimum: 1,
      default: perPage,
    }),
    Cursor: query('cursor', '`next_cursor` of the page before, with the same order and filters; `page` is ignored.', {
      type: 'string',
      minLength: 1,
    }),
    Direction: query('direction', 'Without it a named order goes upwards, and the default order downwards.', {
      type: 'string',
      enum: ['ASC', 'DESC'],
    }),
    Search: query('q', 'Words, all of which occur.', { type: 'string', maxLength: 200 }),
    Locale: query('locale', 'The language of texts and mails; otherwise as `Accept-Language` says.', {
      type: 'string',
      maxLength: 16,
    }),
    IfMatch: header('If-Match', 'The `ETag` of the record as it was read: 412 when it has changed since.', {
      type: 'string',
    }),
    IfNoneMatch: header('If-None-Match', 'The `ETag` of what is at hand: 304 when it is still the same.', {
      type: 'string',
    }),
    IdempotencyKey: header(
      'Idempotency-Key',
      'Made up for each request, best a UUID. Sent again with it, the request is done once and answered twice.',
      { type: 'string', pattern: '^[A-Za-z0-9._~:/+=-]{1,255}$' },
    ),
    Device: header(
      'Portal-Device',
      'What an earlier sign-in of the account answered: this client is then not held back by what strangers guess.',
      { type: 'string', maxLength: 100 },
    ),
    ...WEBHOOK_HEADERS,
  };
}

function query(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', description, schema };
}

function header(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'header', description, schema };
}

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: { description: 'Finds the request in the log.', schema: { type: 'string' } },
  ETag: { description: 'The version of what is in the answer.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds until it is worth another attempt.', schema: { type: 'integer', minimum: 1 } },
  Device: {
    description: 'To be kept by this client, as a secret, and sent with its next login. Void with the password.',
    schema: { type: 'string' },
  },
  WwwAuthenticate: { description: 'How to authenticate: `Bearer`.', schema: { type: 'string' } },
  IdempotencyReplayed: {
    description: '`true` when the request was answered before and not done again.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Of the requests that endpoints get. */
const WEBHOOK_HEADERS = {
  WebhookId: {
    ...header('webhook-id', 'The same in every attempt: what has come already is not done again.', {
      ...{ type: 'string', pattern: '^msg_[0-9a-f]{32}$' },
    }),
    required: true,
  },
  WebhookTimestamp: {
    ...header('webhook-timestamp', 'Seconds since 1970 of the attempt: refuse what is more than five minutes away.', {
      ...{ type: 'string', pattern: '^[0-9]+$' },
    }),
    required: true,
  },
  WebhookSignature: {
    ...header(
      'webhook-signature',
      '`v1,…` by the secret of the endpoint, `v1a,…` by a key of `/.well-known/webhooks-keys`; several while one is replaced.',
      { type: 'string' },
    ),
    required: true,
  },
};
