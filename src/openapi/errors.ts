import type { JsonSchema } from './json-schema.js';

/** Documentation of an error that is the same on every portal. */
interface ErrorAnswer {
  readonly name: string;
  readonly description: string;
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_AFTER = { 'Retry-After': 'RetryAfter' };

const ERRORS: Readonly<Record<number, ErrorAnswer>> = {
  400: {
    name: 'Malformed',
    description: 'The request cannot be read: broken JSON or encoding, a malformed header, a host that is not served.',
    message: 'Malformed request.',
  },
  401: {
    name: 'Unauthenticated',
    description: 'No token, or one that is not (or no longer) valid.',
    message: 'Unauthenticated.',
    headers: { 'WWW-Authenticate': 'WwwAuthenticate' },
  },
  403: {
    name: 'Forbidden',
    description:
      'Not allowed; or a fresh sign-in is needed (`Re-authentication required.`), or the account waits (`Account pending ' +
      'approval.`, `E-mail not verified.`).',
    message: 'Forbidden.',
  },
  404: {
    name: 'NotFound',
    description: 'Not there, or not yours; the two answers are the same.',
    message: 'Resource not found.',
  },
  409: {
    name: 'Conflict',
    description:
      'In conflict with the present state; `errors` says with what. With `Retry-After` the same request is being worked on.',
    message: 'Conflict.',
    errors: { status: ['A key that is revoked cannot be rotated.'] },
    headers: RETRY_AFTER,
  },
  412: {
    name: 'PreconditionFailed',
    description: 'The record has changed since it was read (`If-Match`).',
    message: 'Precondition failed.',
  },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.', message: 'Payload too large.' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is of another type, or in another encoding.',
    message: 'Unsupported media type.',
  },
  422: {
    name: 'ValidationFailed',
    description: 'A field is missing, wrong or taken; `errors` names each.',
    message: 'Validation failed.',
    errors: { name: ['name is required.'] },
  },
  429: {
    name: 'TooManyAttempts',
    description: 'Too many attempts; wait as long as `Retry-After` says.',
    message: 'Too many attempts.',
    headers: RETRY_AFTER,
  },
  500: {
    name: 'ServerError',
    description: 'A fault of the portal; nothing of it is shown, the request id finds it in the log.',
    message: 'Internal server error.',
  },
  502: { name: 'GatewayRefused', description: 'The API gateway refused.', message: 'Gateway error.' },
  503: {
    name: 'Unavailable',
    description: 'Something that is needed is away, or the portal is too busy; try again after `Retry-After`.',
    message: 'Service unavailable.',
    headers: RETRY_AFTER,
  },
  504: { name: 'GatewayTimeout', description: 'The API gateway was too slow.', message: 'Gateway timeout.' },
};

export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'What every error answers.',
  properties: {
    success: { type: 'boolean', const: false },
    status: { type: 'integer', description: 'The HTTP status.' },
    message: { type: 'string' },
    errors: {
      type: 'object',
      description: 'Field → what is wrong with it, in sentences; empty when no field is to blame.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    meta: { type: 'null' },
  },
  required: ['success', 'status', 'message', 'errors', 'meta'],
};

/** Component name → response, for all errors. */
export function errorResponses(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, { name, description, message, errors = {}, headers = {} }]) => [
      name,
      {
        description,
        headers: headersOf({ 'X-Request-Id': 'RequestId', ...headers }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            example: { success: false, status: Number(status), message, errors, meta: null },
          },
        },
      },
    ]),
  );
}

export function headersOf(names: Readonly<Record<string, string>>): JsonSchema {
  return Object.fromEntries(
    Object.entries(names).map(([header, component]) => [header, { $ref: `#/components/headers/${component}` }]),
  );
}

export function errorReference(status: number): JsonSchema {
  return { $ref: `#/components/responses/${ERRORS[status]?.name ?? 'ServerError'}` };
}
