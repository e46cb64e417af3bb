import type { OpenApiDocument } from '../document.js';
import type { JsonSchema } from '../json-schema.js';
import type { RequestParts } from './request-parts.js';
import type { PostmanScript } from './follow-up.js';
import { tokenOf, variableFor, withVariables } from './variables.js';

export interface PostmanRequest {
  readonly id: string;
  readonly name: string;
  readonly event?: readonly PostmanScript[];
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

/** One operation as a request, without its scripts. */
export function postmanRequest(parts: RequestParts): PostmanRequest {
  const { path, operation, method, context } = parts;
  const parameters = parametersOf(parts);
  const body = bodyOf(parts);
  return {
    id: operation.operationId,
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      auth: operation.security.length === 0 ? { type: 'noauth' } : bearer(tokenOf(context)),
      header: headersOf(parameters, body),
      url: urlOf(path, parameters, parts),
      ...(body && { body }),
    },
    response: [],
  };
}

export function bearer(token: string): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${token}}}`, type: 'string' }] };
}

/** The variables of the collection that a path needs, with their first values. */
export function pathVariablesOf(parts: RequestParts): { readonly key: string; readonly value: string }[] {
  const parameters = parametersOf(parts);
  return parts.paths.variables(parts.path).map(({ parameter, variable, resource }) => {
    const { example, schema } = parameters.find(({ name }) => name === parameter) ?? {};
    return {
      key: variable,
      value: parts.names.of(resource, example === undefined ? firstOf(schema) : exampleOf({ example })),
    };
  });
}

function parametersOf({ operation, document }: RequestParts): Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolve(parameter, document));
}

function resolve(parameter: JsonSchema, { components }: OpenApiDocument): Parameter {
  const name = /^#\/components\/parameters\/(.+)$/.exec(String(parameter.$ref))?.[1];
  return (name === undefined ? parameter : (components.parameters[name] ?? {})) as unknown as Parameter;
}

function exampleOf({ example = '' }: Pick<Parameter, 'example'>): string {
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

function urlOf(path: string, parameters: readonly Parameter[], { paths, context }: RequestParts): PostmanUrl {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description, required, schema, ...rest }) => ({
      key: name,
      value:
        valueOf(variableFor(name, path, context)) ?? (rest.example === undefined ? firstOf(schema) : exampleOf(rest)),
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

function valueOf(variable: string | undefined): string | undefined {
  return variable === undefined ? undefined : `{{${variable}}}`;
}

/** A value that can be sent unchanged. */
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

function bodyOf({ operation, path, context, names }: RequestParts): PostmanBody | undefined {
  const content = (operation.requestBody?.content ?? {}) as Readonly<
    Record<string, { schema: JsonSchema; example?: unknown }>
  >;
  const json = content['application/json'];
  if (json) {
    const own = withVariables(json.example ?? {}, path, context);
    const raw = JSON.stringify(names.inBody(path, own), null, 2);
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
  }
  const form = content['multipart/form-data'];
  if (!form) return undefined;
  const fields = Object.keys(form.schema.properties ?? {});
  const known = JSON.stringify(form);
  const file = [LINES, WORKFLOWS].find(({ contentType }) => known.includes(contentType)) ?? PICTURE;
  return { mode: 'formdata', formdata: fields.map((key) => ({ key, ...file })) };
}

/** Of no line: nothing is changed. */
const LINES = { type: 'text', value: '\n', contentType: 'application/x-ndjson', fileName: 'changes.ndjson' };

/** Workflows of any API: none of its operations is called. */
const WORKFLOWS = {
  type: 'text',
  value: JSON.stringify({
    ...{ arazzo: '1.0.1', info: { title: 'Workflows', version: '1' } },
    sourceDescriptions: [{ name: 'api', url: './openapi.json', type: 'openapi' }],
    workflows: ['all', 'part'].map((workflowId) => ({ workflowId, steps: [{ stepId: 'run', workflowId: 'part' }] })),
  }),
  contentType: 'application/json',
  fileName: 'workflows.arazzo.json',
  description: 'Choose a file of your own instead.',
};

/** A one-pixel GIF contains only ASCII bytes, so a collection, which is text, can include it. */
const PICTURE = {
  type: 'text',
  value: 'GIF89a\u0001\0\u0001\0\0\0\0,\0\0\0\0\u0001\0\u0001\0\0\u0002\u0002D\u0001\0;',
  contentType: 'image/gif',
  fileName: 'pixel.gif',
  description: 'A picture of one pixel; choose a file of your own instead.',
};
