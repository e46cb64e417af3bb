import type { OpenApiDocument } from '../document.js';
import type { JsonSchema } from '../json-schema.js';
import type { RequestParts } from './request-parts.js';
import type { ResourcePaths } from './resource-paths.js';
import { followUp } from './follow-up.js';
import { withVariables } from './variables.js';

export interface PostmanRequest {
  readonly id: string;
  readonly name: string;
  readonly event?: readonly object[];
  readonly request: {
    readonly method: string;
    readonly description?: string;
    readonly auth?: object;
    readonly header: readonly PostmanField[];
    readonly url: PostmanUrl;
    readonly body?: PostmanBody;
  };
  readonly response: readonly object[];
}

interface PostmanField {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: true;
}

interface PostmanUrl {
  readonly raw: string;
  readonly host: readonly [string];
  readonly path: readonly string[];
  readonly query?: readonly PostmanField[];
  readonly variable?: readonly PostmanField[];
}

type PostmanBody =
  | { readonly mode: 'raw'; readonly raw: string; readonly options: object }
  | { readonly mode: 'formdata'; readonly formdata: readonly object[] };

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly required?: boolean;
}

/** One operation as a request, and the variables of the collection that its path needs. */
export function postmanRequest(parts: RequestParts) {
  const { path, operation, method, context, document, paths } = parts;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter, document));
  const variables = paths.variables(path).map(({ parameter, variable }) => ({
    key: variable,
    value: exampleOf(parameters.find(({ name }) => name === parameter)),
  }));
  const body = bodyOf(parts);
  const event = followUp(parts);
  const request: PostmanRequest = {
    id: operation.operationId,
    name: operation.summary,
    ...(event && { event: [event] }),
    request: {
      method: method.toUpperCase(),
      ...(operation.description !== undefined && { description: operation.description }),
      ...(operation.security.length === 0 && { auth: { type: 'noauth' } }),
      header: headersOf(parameters, body),
      url: urlOf(path, parameters, paths),
      ...(body && { body }),
    },
    response: [],
  };
  return { request, variables, context };
}

function resolve(parameter: JsonSchema, { components }: OpenApiDocument): Parameter {
  const name = /^#\/components\/parameters\/(.+)$/.exec(String(parameter.$ref))?.[1];
  return (name === undefined ? parameter : (components.parameters[name] ?? {})) as unknown as Parameter;
}

function exampleOf(parameter: Pick<Parameter, 'example'> | undefined): string {
  const { example = '' } = parameter ?? {};
  return typeof example === 'string' ? example : JSON.stringify(example);
}

function headersOf(parameters: readonly Parameter[], body: PostmanBody | undefined): PostmanField[] {
  const optional = parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, description }) => ({ key: name, value: '', ...noteOf(description), disabled: true as const }));
  const type = body?.mode === 'raw' ? [{ key: 'Content-Type', value: 'application/json' }] : [];
  return [{ key: 'Accept', value: 'application/json' }, ...type, ...optional];
}

function noteOf(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

function urlOf(path: string, parameters: readonly Parameter[], paths: ResourcePaths): PostmanUrl {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description, required, schema, ...rest }) => ({
      key: name,
      value: rest.example === undefined ? firstOf(schema) : exampleOf(rest),
      ...noteOf(description),
      ...(!required && { disabled: true as const }),
    }));
  const variable = paths
    .variables(path)
    .map(({ parameter, variable: name }) => ({ key: parameter, value: `{{${name}}}` }));
  return {
    raw: `{{base_url}}/${segments.join('/')}`,
    host: ['{{base_url}}'],
    path: segments,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  };
}

/** A value that may be sent as it is. */
function firstOf(schema: JsonSchema | undefined): string {
  const {
    items,
    default: standard,
    enum: values,
  } = (schema ?? {}) as { items?: JsonSchema; default?: unknown; enum?: unknown[] };
  const [first] = values ?? (items?.enum as unknown[] | undefined) ?? [];
  const value = standard ?? first;
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function bodyOf({ operation, path, context }: RequestParts): PostmanBody | undefined {
  const content = (operation.requestBody?.content ?? {}) as Readonly<
    Record<string, { schema: JsonSchema; example?: unknown }>
  >;
  const json = content['application/json'];
  if (json) {
    const raw = JSON.stringify(withVariables(json.example ?? {}, path, context), null, 2);
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
  }
  const form = content['multipart/form-data'];
  if (!form) return undefined;
  const fields = Object.keys(form.schema.properties ?? {});
  return { mode: 'formdata', formdata: fields.map((key) => ({ key, type: 'file', src: [] })) };
}
