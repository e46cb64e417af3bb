import type { RunnableOperation, RunnableStep } from '../portal.js';
import {
  follow,
  ExpressionError,
  fillIn,
  fillText,
  isExpression,
  textOfValue,
  unescape,
  type Scope,
  type WorkflowValues,
} from './workflow-expressions.js';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = /[/+]json\b/i;
/** Headers that `fetch` sets itself, and those that could split one request in two. */
const NOT_OURS = ['host', 'content-length', 'transfer-encoding', 'connection'];

/** A request of a step, without the credentials of the person who runs it. */
export interface PreparedRequest {
  readonly operation: RunnableOperation;
  readonly url: URL;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: WorkflowValues;
  readonly path: WorkflowValues;
  /** As expressions see it. */
  readonly bodyValue: unknown;
  readonly body: string | FormData | null;
}

/**
 * @param server in place of that of the document
 * @throws ExpressionError for what is missing or has no value
 */
export function prepareRequest(
  step: RunnableStep,
  operation: RunnableOperation,
  scope: Scope,
  server: string | null,
): PreparedRequest {
  const given = step.parameters.flatMap((one) => {
    const value = fillIn(one.value, scope);
    return value === undefined || value === null ? [] : [{ ...one, value }];
  });
  const selectPlace = (place: string) => given.filter((one) => one.in === place);
  const valuesIn = (place: string) => Object.fromEntries(selectPlace(place).map(({ name, value }) => [name, value]));
  const path = valuesIn('path');
  const url = addressOf(operation, path, server);
  for (const { name, value } of selectPlace('query')) {
    for (const [key, text] of queryOf(name, value, declarationOf(operation, 'query', name)))
      url.searchParams.append(key, text);
  }
  const headers: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    'user-agent': 'portalkit workflow:run',
  };
  for (const { name, value } of selectPlace('header')) {
    if (NOT_OURS.includes(name.toLowerCase())) throw new ExpressionError(`the header ${name} cannot be given.`);
    headers[name.toLowerCase()] = listText(value);
  }
  const cookies = selectPlace('cookie').map(({ name, value }) => `${name}=${encodeURIComponent(listText(value))}`);
  if (cookies.length > 0) headers.cookie = cookies.join('; ');
  const { type, bodyValue, body } = bodyOf(step, operation, scope);
  // For multipart forms fetch sets the boundary.
  if (type !== null && type !== MULTIPART) headers['content-type'] = type;
  return { operation, url, headers, query: valuesIn('query'), path, bodyValue, body };
}

function addressOf({ path, server: own }: RunnableOperation, values: WorkflowValues, server: string | null): URL {
  const base = server ?? own ?? '';
  if (!isAddress(base)) {
    throw new ExpressionError(
      `the document names no address of a server ("${base.slice(0, 100)}"). Say it with --server.`,
    );
  }
  const filled = path.replaceAll(/\{([^{}]{1,200})\}/g, (_, name: string) => {
    const text = Object.hasOwn(values, name) ? listText(values[name]) : '';
    // Segments of dots alone would leave the path, and escaping does not prevent it.
    if (text === '' || /^\.{1,2}$/.test(text)) {
      throw new ExpressionError(
        `the path ${path} needs a value for ${name}${text === '' ? '' : ` other than "${text}"`}.`,
      );
    }
    return encodeURIComponent(text);
  });
  const address = `${base.replace(/\/$/, '')}${filled}`;
  // A path that does not begin with a slash could name another host.
  if (!URL.canParse(address) || new URL(address).origin !== new URL(base).origin) {
    throw new ExpressionError(`the path ${path} leads to another server.`);
  }
  return new URL(address);
}

/** Whether a server may be called there. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function declarationOf({ declared }: RunnableOperation, place: string, name: string): WorkflowValues {
  return declared.find((one) => one.in === place && one.name === name) ?? {};
}

/** As OpenAPI writes lists and objects: `id=1&id=2`, `id=1,2` where they are not to explode, `filter[a]=b` for deep ones. */
function queryOf(name: string, value: unknown, declared: WorkflowValues): [string, string][] {
  const isSplit =
    declared.explode !== false && !['csv', 'ssv', 'pipes'].includes(textOfValue(declared.collectionFormat));
  if (typeof value !== 'object' || value === null) return [[name, textOfValue(value)]];
  if (declared.content !== undefined) return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const texts = value.map((item: unknown) => textOfValue(item));
    return isSplit ? texts.map((text) => [name, text]) : [[name, texts.join(',')]];
  }
  const isDeep = declared.style === 'deepObject';
  if (!isSplit && !isDeep) return [[name, listText(value)]];
  return Object.entries(value).map(([key, item]) => [isDeep ? `${name}[${key}]` : key, textOfValue(item)]);
}

function listText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return textOfValue(value);
  const parts: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
  return parts.map(textOfValue).join(',');
}

interface SentBody {
  readonly type: string | null;
  readonly bodyValue: unknown;
  readonly body: string | FormData | null;
}

function bodyOf({ body: said }: RunnableStep, operation: RunnableOperation, scope: Scope): SentBody {
  if (said === null) return { type: null, bodyValue: undefined, body: null };
  const type = said.contentType ?? operation.contentType ?? 'application/json';
  const payload = fillPayload(said.payload, type, scope);
  const value = said.replacements.reduce((present, { target, value: put }) => {
    return replaceAt(present, target, fillIn(put, scope));
  }, payload);
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : null;
  if (fields && type === FORM) {
    const texts = fields.map(([name, item]): [string, string] => [name, textOfValue(item)]);
    return { type, bodyValue: value, body: new URLSearchParams(texts).toString() };
  }
  if (type === MULTIPART) {
    const form = new FormData();
    for (const [name, item] of fields ?? []) form.append(name, textOfValue(item));
    return { type, bodyValue: value, body: form };
  }
  const isText = typeof value === 'string' && (!JSON_TYPE.test(type) || isJson(value));
  return { type, bodyValue: value, body: isText ? value : JSON.stringify(value ?? null) };
}

/** JSON as text is filled in value by value, so that no value can end the text that it stands in. */
function fillPayload(payload: unknown, type: string, scope: Scope): unknown {
  if (typeof payload !== 'string' || isExpression(payload)) return fillIn(payload, scope);
  if (JSON_TYPE.test(type) && isJson(payload)) return fillIn(JSON.parse(payload), scope);
  const text = fillText(payload, scope);
  return JSON_TYPE.test(type) && isJson(text) ? JSON.parse(text) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A copy with another value at a place that is there, or that its parent may take. @throws ExpressionError */
function replaceAt(payload: unknown, target: string, value: unknown): unknown {
  if (target === '') return value;
  const copy: unknown = structuredClone(payload);
  const at = target.lastIndexOf('/');
  const parent = follow(copy, target.slice(0, Math.max(0, at)));
  const name = unescape(target.slice(at + 1));
  if (at < 0 || typeof parent !== 'object' || parent === null || name === '__proto__') {
    throw new ExpressionError(`the body has no place ${target}, where a value is to be put.`);
  }
  if (Array.isArray(parent) && name === '-') parent.push(value);
  else (parent as Record<string, unknown>)[name] = value;
  return copy;
}
