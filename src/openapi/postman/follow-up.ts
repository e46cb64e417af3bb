import type { JsonSchema } from '../json-schema.js';
import type { RequestParts } from './request-parts.js';
import { resourceAt } from './resource-paths.js';

/** The scripts that Postman runs with a request. */
export interface PostmanScript {
  readonly listen: 'prerequest' | 'test';
  readonly script: { readonly type: 'text/javascript'; readonly exec: readonly string[] };
}

export function script(listen: PostmanScript['listen'], exec: readonly string[]): PostmanScript {
  return { listen, script: { type: 'text/javascript', exec } };
}

/** What a run may not know when it sends a request. */
export interface Missing {
  /** Variables that only a person can fill in. */
  readonly toBeFilled: readonly string[];
  /** The path refers to a record of the example, which may not exist. */
  readonly isGuess: boolean;
}

/** Checks the response against the document, and stores what later requests need. */
export function followUp(parts: RequestParts, missing: Missing): PostmanScript {
  const keeping = [...keepTokens(parts), ...keepRecord(parts)];
  const kept =
    keeping.length === 0
      ? []
      : [
          'if (pm.response.code < 300) {',
          '  const { data } = pm.response.json();',
          ...keeping.map((line) => `  ${line}`),
          '}',
        ];
  return script('test', [...expectStatus(parts, missing), ...expectAnswer(parts, missing), ...kept]);
}

/** Variables that the scripts of a request set. */
export function listKeptVariables(parts: RequestParts): string[] {
  return keepRecord(parts).flatMap((line) => [...line.matchAll(/\.set\('(\w+)'/g)].map(([, name = '']) => name));
}

function successesOf({ operation }: RequestParts): number[] {
  return Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 300);
}

/** Legitimate refusals of a request whose values nobody filled in. */
const REFUSALS = [401, 404, 409, 422];

/** What a record may well not have. */
const OPTIONAL_PART = /\/workflows$/;

function expectStatus(parts: RequestParts, { toBeFilled, isGuess }: Missing): string[] {
  const successes = successesOf(parts);
  const refusals = REFUSALS.filter((status) => String(status) in parts.operation.responses);
  if (isGuess || (parts.method === 'get' && OPTIONAL_PART.test(parts.path)))
    return [expectOneOf([...successes, ...refusals])];
  if (toBeFilled.length === 0) return [expectOneOf(successes)];
  const names = toBeFilled.map((name) => `'${name}'`).join(', ');
  return [
    `// Refused as long as ${toBeFilled.join(' and ')} of the collection's variables are empty.`,
    `if ([${names}].every((name) => pm.variables.get(name))) {`,
    `  ${expectOneOf(successes)}`,
    '} else {',
    `  ${expectOneOf(refusals)}`,
    '}',
  ];
}

function expectOneOf(statuses: readonly number[]): string {
  const list = statuses.join(', ');
  return `pm.test('The status is ${statuses.join(' or ')}', () => pm.expect(pm.response.code).to.be.oneOf([${list}]));`;
}

function expectAnswer(parts: RequestParts, { isGuess }: Missing): string[] {
  const types = documentTypesOf(parts);
  if (types.length === 0) return expectEnvelope(parts);
  const test = [
    `pm.test('The answer is ${types.join(' or ')}', () => {`,
    "  const [type] = (pm.response.headers.get('Content-Type') || '').split(';');",
    `  pm.expect(type).to.be.oneOf(${JSON.stringify(types)});`,
    '});',
  ];
  if (!isGuess) return test;
  const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return ['if (pm.response.code < 300) {', ...indent(test), '} else {', ...indent(expectEnvelope(parts)), '}'];
}

function expectEnvelope(parts: RequestParts): string[] {
  const isList = [...dataTypesOf(parts)].every((type) => type === 'array');
  return [
    "pm.test('The answer is in the envelope', () => {",
    '  const envelope = pm.response.json();',
    '  const isSuccess = pm.response.code < 300;',
    "  pm.expect(Object.keys(envelope)).to.eql(['success', 'status', 'message', isSuccess ? 'data' : 'errors', 'meta']);",
    '  pm.expect(envelope.success).to.eql(isSuccess);',
    '  pm.expect(envelope.status).to.eql(pm.response.code);',
    ...(isList ? ["  if (isSuccess) pm.expect(envelope.data).to.be.an('array');"] : []),
    '});',
  ];
}

/** Media types of a response without an envelope; empty if it has one. */
function documentTypesOf({ operation }: RequestParts): string[] {
  const success = Object.entries(operation.responses).find(([status]) => status < '3')?.[1];
  const { content = {} } = (success ?? {}) as { content?: Record<string, { schema?: { properties?: object } }> };
  const isEnvelope = 'success' in (content['application/json']?.schema?.properties ?? {});
  return isEnvelope ? [] : Object.keys(content);
}

function dataTypesOf({ operation }: RequestParts): Set<unknown> {
  const successes = Object.entries(operation.responses).filter(([status]) => status < '3');
  return new Set(successes.map(([, response]) => dataOf(response).type));
}

/** A sign-in stores its tokens for the following requests. */
function keepTokens({ operation, context, document }: RequestParts): string[] {
  const isPair = Object.entries(operation.responses).some(
    ([status, response]) => status < '3' && 'access_token' in fieldsOf(dataOf(response), document.components.schemas),
  );
  if (!isPair) return [];
  return [
    'if (data.access_token) {',
    `  pm.collectionVariables.set('${context}_token', data.access_token);`,
    `  pm.collectionVariables.set('${context}_refresh_token', data.refresh_token);`,
    '}',
  ];
}
/** Later requests use the record that this one creates, or the first record of a list. */
function keepRecord(parts: RequestParts): string[] {
  const { method, operation } = parts;
  if (method === 'post' && '201' in operation.responses) return keepCreated(parts);
  if (method === 'get') return keepListed(parts);
  return keepPicture(parts);
}

function keepCreated({ path, operation, document, paths }: RequestParts): string[] {
  const { schemas } = document.components;
  const member = paths.memberOf(path);
  const fields = fieldsOf(dataOf(operation.responses['201']), schemas);
  // The names that other paths use for the same record.
  const own = member?.variable.startsWith('own_') ? 'own_' : '';
  const names = paths.all.filter(({ variable, field }) => variable === `${own}${resourceAt(path)}_${field}` && member);
  const variables = [...(member ? [member] : []), ...names].filter(({ field }) => field in fields);
  const kept = new Map(variables.map(({ variable, field }) => [variable, keep(variable, `data.${field}`)]));
  // An app comes with its first key.
  const keepFirst = ([name, list]: [string, unknown]) => {
    const below = member && paths.memberOf(`${path}/{${member.parameter}}/${name}`);
    const record = fieldsOf(((list as JsonSchema).items ?? {}) as JsonSchema, schemas);
    if (!below || !(below.field in record)) return [];
    return [`if (data.${name}?.length) ${keep(below.variable, `data.${name}[0].${below.field}`)}`];
  };
  return [...kept.values(), ...Object.entries(fields).flatMap(keepFirst)];
}

function keepListed({ path, operation, document, paths }: RequestParts): string[] {
  const member = paths.memberOf(path);
  const data = dataOf(operation.responses['200']);
  const record = fieldsOf((data.items ?? {}) as JsonSchema, document.components.schemas);
  if (!member || data.type !== 'array' || !(member.field in record)) return [];
  // Ending the session that the run uses would end the run.
  const first = 'current' in record ? '(data.find(({ current }) => !current) ?? data[0])' : 'data[0]';
  return [
    `if (data.length > 0 && !pm.collectionVariables.get('${member.variable}')) ` +
      keep(member.variable, `${first}.${member.field}`),
  ];
}

/** Stores the name of the uploaded picture, for its download. */
function keepPicture({ operation, paths }: RequestParts): string[] {
  const picture = paths.memberOf('/files');
  const { content = {} } = (operation.requestBody ?? {}) as { content?: object };
  const isUpload = 'multipart/form-data' in content;
  if (!picture || !isUpload) return [];
  return [`if (data.thumbnail_url) ${keep(picture.variable, "data.thumbnail_url.split('/').pop()")}`];
}

function keep(variable: string, value: string): string {
  return `pm.collectionVariables.set('${variable}', String(${value}));`;
}

function dataOf(response: JsonSchema | undefined): JsonSchema {
  const { content = {} } = (response ?? {}) as {
    content?: Record<string, { schema?: { properties?: { data?: JsonSchema } } }>;
  };
  return content['application/json']?.schema?.properties?.data ?? {};
}

function fieldsOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): object {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  return (name === undefined ? schema : schemas[name])?.properties ?? {};
}
