import { bodyOf, payloadOf } from './reference-body.js';
import { exampleOf } from './reference-example.js';
import { headerText, pathText, percent, queryPairs, readValue, writeValue } from './reference-serialize.js';

// What somebody filled in, as one HTTP request: for the samples with names in place of secrets, for trying with the real ones.

const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Stands for a server that the document does not name, or that no browser could ask. */
const EXAMPLE_BASE = 'https://api.example.com';
const PLACEHOLDERS = { key: 'YOUR_KEY', token: 'YOUR_TOKEN', user: 'USER', password: 'PASSWORD' };

export const keyOf = ({ in: place, name }) => `${place} ${name}`;

/**
 * What stands in the form of an operation at first.
 * @param isReachable address of a server → whether requests may go there; the first that takes them is chosen
 */
export function firstValues(operation, index, store, isReachable) {
  const servers = operation.servers.length > 0 ? operation.servers : index.servers;
  const parameters = new Map();
  // What GraphQL has as arguments stands in its query.
  for (const parameter of operation.query ? [] : operation.parameters) {
    const isNeeded = parameter.required || parameter.in === 'path';
    parameters.set(keyOf(parameter), isNeeded ? writeValue(firstOf(parameter, store)) : '');
  }
  const ways = waysOf(operation, index);
  const variables = new Map(servers.flatMap((server) => server.variables.map(({ name, value }) => [name, value])));
  const server = servers.findIndex((_server, number) =>
    isReachable(serverAddress({ servers, server: number, variables })),
  );
  return {
    ...{ servers, server: Math.max(0, server), variables, parameters, ways },
    way: index.beginsWithoutKey
      ? 0
      : Math.max(
          0,
          ways.findIndex((way) => way.length > 0),
        ),
    body: operation.body ? bodyOf(operation.body.content[0], store) : null,
    query: operation.query ? { text: operation.query.text, variables: JSON.stringify(operation.query.variables, null, 2) } : null,
  };
}

/** Whether requests of an operation can be shown and sent: a subscription needs a connection that stays open. */
export function isCallable({ method, isWebhook }, { kind }) {
  return !isWebhook && (kind === 'openapi' || (kind === 'graphql' && method !== 'subscription'));
}

/** Why a query cannot be sent as it is filled in: a key of the words; null when it can. */
export function queryFault({ query }) {
  return query !== null && variablesOf(query) === null ? 'variables-not-json' : null;
}

/** null for what is no JSON object. */
function variablesOf({ variables }) {
  if (variables.trim() === '') return {};
  try {
    const value = JSON.parse(variables);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function queryPayload(query) {
  const body = { query: query.text, variables: variablesOf(query) ?? {} };
  return { kind: 'text', type: 'application/json', text: JSON.stringify(body, null, 2) };
}

function firstOf({ examples, schema }, store) {
  return examples.length > 0 ? examples[0].value : exampleOf(schema, store);
}

/**
 * The ways in, each a list of schemes, none of them for no sign-in. A product that needs no key has that way, whatever its document
 * says.
 */
export function waysOf(operation, index) {
  const ways = operation.security ?? index.security;
  return index.isKeyless && ways.length > 0 ? [[], ...ways.filter((way) => way.length > 0)] : ways;
}

/** The schemes that the chosen way asks for. */
export function schemesOf(index, { ways, way }) {
  const names = (ways[way] ?? []).map(({ name }) => name);
  return names.map((name) => index.schemes.find((scheme) => scheme.name === name)).filter(Boolean);
}

/**
 * @param secrets scheme name → `{value, user, password}`; null writes names in their place
 * @returns `{method, url, headers, cookies, basic, payload}`: `payload` as in `payloadOf`, cookies encoded, `basic` names for samples
 */
export function requestOf({ entry, operation, index, values, secrets, store }) {
  const { query: asked } = values;
  const request = { query: [], headers: [], cookies: [], basic: null, path: asked ? '' : entry.path };
  for (const parameter of operation.parameters) {
    const text = values.parameters.get(keyOf(parameter)) ?? '';
    if (text !== '') place(parameter, text, request, store);
  }
  for (const scheme of schemesOf(index, values)) prove(scheme, secrets, request);
  const hasNone = ['get', 'head', 'trace'].includes(entry.method);
  const payload = asked ? queryPayload(asked) : hasNone ? null : payloadOf(values.body, store);
  if (payload && payload.kind !== 'multipart') request.headers.push(['Content-Type', payload.type]);
  const accepted = acceptOf(operation);
  if (accepted) request.headers.push(['Accept', accepted]);
  // What follows a `#` tells documents apart, not requests.
  const address = tidyAddress(serverAddress(values).replace(/\/$/, '') + request.path.split('#', 1)[0]);
  const search = request.query.map((pair) => pair.join('=')).join('&');
  return {
    ...{ method: asked ? 'POST' : entry.method.toUpperCase(), cookies: request.cookies, basic: request.basic, payload },
    url: address + (search && `${address.includes('?') ? '&' : '?'}${search}`),
    headers: request.headers
      .filter(([name]) => TOKEN.test(name))
      .map(([name, value]) => [name, value.replace(/[\r\n\0]+/g, ' ')]),
  };
}

function place(parameter, text, request, store) {
  const { name, in: where, mediaType } = parameter;
  const style = mediaType === '' ? parameter : { ...parameter, style: 'simple', explode: false };
  const value = mediaType === '' ? readValue(text, parameter.schema, store, parameter.style === 'deepObject') : text;
  if (where === 'path') request.path = request.path.replaceAll(`{${name}}`, () => pathText(style, value));
  else if (where === 'query') request.query.push(...queryPairs(style, value));
  else if (where === 'querystring') request.query.push(...wholeQuery(parameter, text, store));
  else if (where === 'cookie') request.cookies.push(...queryPairs(style, value));
  else if (where === 'header' && !NOT_PARAMETERS.has(name.toLowerCase()))
    request.headers.push([name, headerText(style, value)]);
}

// OpenAPI 3.2: one parameter is the whole query.
function wholeQuery({ name, mediaType, schema }, text, store) {
  const value = readValue(text, schema, store, true);
  if (mediaType !== 'application/x-www-form-urlencoded' || typeof value !== 'object') return [[percent(text)]];
  return queryPairs({ name, style: 'form', explode: true }, value);
}

/** An address in which nothing stands for more than itself; a name in braces is still to be filled in. */
function tidyAddress(address) {
  const absolute = /^https?:\/\//i.test(address)
    ? address
    : EXAMPLE_BASE + (address.startsWith('/') ? '' : '/') + address;
  return absolute.replace(/[^\w.~:/?#[\]@!$&()*+,;=%{}-]+/g, (part) => percent(part));
}

function prove(scheme, secrets, request) {
  const { query, headers, cookies } = request;
  const known = secrets === null ? null : secrets.get(scheme.name);
  const said = (part, placeholder) => (secrets === null ? placeholder : (known?.[part] ?? ''));
  // The portal adds this one.
  if (known?.credential) return;
  if (scheme.type === 'apiKey') {
    const value = said('value', PLACEHOLDERS.key);
    if (value === '') return;
    if (scheme.in === 'header') headers.push([scheme.param, value]);
    else if (scheme.in === 'query') query.push([percent(scheme.param), percent(value)]);
    else if (scheme.in === 'cookie') cookies.push([percent(scheme.param), percent(value)]);
  } else if (scheme.type === 'http' && scheme.scheme === 'basic') {
    const pair = [said('user', PLACEHOLDERS.user), said('password', PLACEHOLDERS.password)];
    if (secrets === null) request.basic = pair;
    else if (pair.join('') !== '') headers.push(['Authorization', `Basic ${base64(pair.join(':'))}`]);
  } else {
    const value = said('value', PLACEHOLDERS.token);
    if (value !== '') headers.push(['Authorization', `Bearer ${value}`]);
  }
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function acceptOf({ responses }) {
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => content);
  return types[0]?.type ?? '';
}

/** The chosen server with its variables filled in; empty when the document names none. */
export function serverAddress({ servers, server, variables }) {
  const url = servers[server]?.url ?? '';
  return url.replace(/\{([^{}]+)\}/g, (all, name) => variables.get(name) || all);
}
