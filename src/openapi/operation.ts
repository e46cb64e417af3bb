import { describeSchema, OWN_ACCOUNT } from '../core/index.js';
import type { PortalRoute } from '../api/index.js';
import { errorReference, headersOf } from './errors.js';
import type { JsonSchema, JsonSchemaWriter } from './json-schema.js';
import { describeListing } from './listing.js';
import { sample } from './sample.js';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** Scheme → scopes; an empty alternative means anonymous access. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

const ADMIN_ACCESS = 'portal.admin.access';
const PHRASES: Readonly<Record<number, string>> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' };

/** @param examples real responses by status; the others get an example made from their schema */
export function writeOperation(
  route: PortalRoute,
  schemas: JsonSchemaWriter,
  examples: Readonly<Record<string, unknown>> = {},
): Operation {
  const description = [route.description, accessNote(route)].filter(Boolean).join('\n\n');
  const parameters = parametersOf(route, schemas);
  const requestBody = requestBodyOf(route, schemas);
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description,
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemas, examples),
  };
}

function securityOf({ auth, context }: PortalRoute): Operation['security'] {
  const token = { [context === 'admin' ? 'adminToken' : 'developerToken']: [] };
  if (auth === 'none') return [];
  return auth === 'optional' ? [{}, token] : [token];
}

/** Operators may switch off both layers of authorization; the note ignores that. */
function accessNote({ auth, context, permission = ADMIN_ACCESS, policy }: PortalRoute): string {
  if (auth === 'none') return 'Takes no token.';
  if (auth === 'optional') return 'Takes a token, or none.';
  if (context !== 'admin') return 'Takes the token of a developer.';
  if (permission === OWN_ACCOUNT) return 'Every admin may.';
  const asked = policy ? [permission, `portal.${policy[1]}.${policy[0]}`] : [permission];
  return `Takes the permission ${[...new Set(asked)].map((name) => `\`${name}\``).join(' and ')}.`;
}

function parametersOf(route: PortalRoute, schemas: JsonSchemaWriter): JsonSchema[] {
  const referTo = (name: string, isTaken: unknown) => (isTaken ? [{ $ref: `#/components/parameters/${name}` }] : []);
  return [
    ...fieldsOf(route.params, schemas).map(({ name, schema }) => parameter('path', name, schema, true)),
    ...fieldsOf(route.query, schemas).map(({ name, schema, required }) => parameter('query', name, schema, required)),
    ...(route.list ? describeListing(route.list) : []),
    ...referTo('Locale', route.localized),
    ...referTo('IfMatch', route.versioned),
    ...referTo('IfNoneMatch', route.document?.conditional ?? route.shared),
    ...referTo('IdempotencyKey', route.idempotent),
    ...referTo('Device', route.device === 'asked'),
  ];
}

function fieldsOf(schema: PortalRoute['params'], schemas: JsonSchemaWriter) {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.write(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
  }));
}

function parameter(place: 'path' | 'query', name: string, field: JsonSchema, required: boolean): JsonSchema {
  const { description, examples, ...schema } = field;
  const [example] = (examples ?? []) as unknown[];
  return {
    ...{ name, in: place },
    ...(required && { required }),
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

function requestBodyOf({ body, upload }: PortalRoute, schemas: JsonSchemaWriter): JsonSchema | undefined {
  const json =
    body && (!upload || upload.orJson) ? { 'application/json': mediaType(schemas.writeRequest(body), schemas) } : {};
  if (upload) return { required: true, content: { 'multipart/form-data': formOf(upload), ...json } };
  if (!body) return undefined;
  return { ...(asksForFields(body) && { required: true }), content: json };
}

/** An empty body is `{}`, so a body is required if one of its fields is. */
function asksForFields(body: NonNullable<PortalRoute['body']>): boolean {
  const { keys = {} } = describeSchema<{ keys?: Record<string, { flags?: { presence?: string } }> }>(body);
  return Object.values(keys).some(({ flags }) => flags?.presence === 'required');
}

function formOf({ field, types }: NonNullable<PortalRoute['upload']>): JsonSchema {
  return {
    schema: {
      type: 'object',
      properties: { [field]: { type: 'string', format: 'binary', description: `A file: ${types.join(', ')}.` } },
      required: [field],
      additionalProperties: false,
    },
    encoding: { [field]: { contentType: types.join(', ') } },
  };
}

function mediaType(schema: JsonSchema, schemas: JsonSchemaWriter): JsonSchema {
  const example = sample(schema, schemas.schemas);
  return { schema, ...(example !== undefined && { example }) };
}

function responsesOf(
  route: PortalRoute,
  schemas: JsonSchemaWriter,
  examples: Readonly<Record<string, unknown>>,
): Record<string, JsonSchema> {
  const successes = Object.entries(route.reply).map(([status, schema]) => [
    status,
    route.document
      ? documentOf(route, schemas.write(schema))
      : envelopeOf(route, Number(status), schemas, examples[status]),
  ]);
  const unchanged =
    (route.document?.conditional ?? route.shared)
      ? [['304', { description: 'Not modified.', headers: headersOf({ 'X-Request-Id': 'RequestId', ETag: 'ETag' }) }]]
      : [];
  const errors = errorStatuses(route).map((status) => [String(status), errorReference(status)]);
  return Object.fromEntries([...successes, ...unchanged, ...errors]) as Record<string, JsonSchema>;
}

function envelopeOf(route: PortalRoute, status: number, schemas: JsonSchemaWriter, example: unknown): JsonSchema {
  const declared = route.reply[status];
  const data = declared ? schemas.write(declared) : {};
  const meta = route.list
    ? {
        type: 'object',
        properties: { pagination: { $ref: '#/components/schemas/Pagination' } },
        required: ['pagination'],
      }
    : { type: 'null' };
  const properties = {
    success: { type: 'boolean', const: true },
    status: { type: 'integer', const: status },
    message: { type: 'string', examples: [''] },
    data,
    meta,
  };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return {
    description: PHRASES[status] ?? 'Done.',
    headers: headersOf({
      'X-Request-Id': 'RequestId',
      ...((isVersioned(data, schemas) || route.shared) && { ETag: 'ETag' }),
      ...(route.idempotent && { 'Idempotency-Replayed': 'IdempotencyReplayed' }),
      ...(route.device && { 'Portal-Device': 'Device' }),
    }),
    content: { 'application/json': example === undefined ? mediaType(schema, schemas) : { schema, example } },
  };
}

/** Responses with one changeable record carry its version. */
function isVersioned(data: JsonSchema, { schemas }: JsonSchemaWriter): boolean {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(data.$ref))?.[1];
  const { properties = {} } = (name === undefined ? data : (schemas[name] ?? {})) as { properties?: object };
  return 'updated_at' in properties;
}

function documentOf({ document }: PortalRoute, schema: JsonSchema): JsonSchema {
  const content = Object.fromEntries(
    (document?.types ?? []).map((type) => [type, { schema: schemaFor(type, schema) }]),
  );
  const headers = { 'X-Request-Id': 'RequestId', ...(document?.conditional && { ETag: 'ETag' }) };
  return { description: 'The document itself, not in the envelope.', headers: headersOf(headers), content };
}

/** For anything but JSON, only that it is text is known. */
function schemaFor(type: string, schema: JsonSchema): JsonSchema {
  return type === 'application/json' || schema.type === 'string' ? schema : { type: 'string' };
}

/** The error statuses of a route: those that follow from its declaration, and those it names itself. */
function errorStatuses(route: PortalRoute): number[] {
  const takesBody = route.method !== 'get';
  const isChecked = takesBody || route.query !== undefined || route.list !== undefined;
  const statuses: (number | false | undefined)[] = [
    400,
    route.auth === 'required' && 401,
    // Any signed-in account may get a 403: it may first have to be approved, or set up a second factor.
    route.auth === 'required' && 403,
    (route.params !== undefined || route.find !== undefined) && 404,
    route.idempotent !== undefined && 409,
    route.versioned && 412,
    ...(takesBody ? [413, 415] : []),
    isChecked && 422,
    route.throttle !== undefined && 429,
    500,
    503,
    ...(route.errors ?? []),
  ];
  return [...new Set(statuses.filter((status) => typeof status === 'number'))].sort((a, b) => a - b);
}
