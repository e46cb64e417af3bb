import { exampleOf } from './reference-example.js';
import { isObject, resolve } from './reference-schema.js';

// What somebody filled in, as one HTTP request: for the samples with names in place of secrets, for trying with the real ones.

const FORM = 'application/x-www-form-urlencoded';
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);
const PLACEHOLDERS = { key: 'YOUR_KEY', token: 'YOUR_TOKEN', user: 'USER', password: 'PASSWORD' };

export const keyOf = ({ in: place, name }) => `${place} ${name}`;
export const isForm = (type) => type === FORM || type.startsWith('multipart/');
const isJson = (type) => /[/+]json\b/i.test(type) || type === '*/*';

/**
 * What stands in the form of an operation at first.
 * @param isReachable address of a server → whether requests may go there; the first that takes them is chosen
 */
export function firstValues(operation, index, store, isReachable) {
  const servers = operation.servers.length > 0 ? operation.servers : index.servers;
  const parameters = new Map();
  for (const parameter of operation.parameters) {
    const isNeeded = parameter.required || parameter.in === 'path';
    parameters.set(keyOf(parameter), isNeeded ? textOf(firstOf(parameter, store)) : '');
  }
  const ways = operation.security ?? index.security;
  const variables = new Map(servers.flatMap((server) => server.variables.map(({ name, value }) => [name, value])));
  const server = servers.findIndex((_server, number) => isReachable(serverAddress({ servers, server: number, variables })));
  return {
    ...{ servers, server: Math.max(0, server), variables, parameters, ways },
    way: Math.max(0, ways.findIndex((way) => way.length > 0)),
    body: operation.body ? bodyOf(operation.body.content[0], store) : null,
  };
}

function firstOf({ examples, schema }, store) {
  return examples.length > 0 ? examples[0].value : exampleOf(schema, store);
}

function textOf(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A body in one of its media types, filled with an example. */
export function bodyOf(media, store) {
  if (!media) return { type: 'application/json', text: '', fields: new Map() };
  const value = media.examples.length > 0 ? media.examples[0].value : exampleOf(media.schema, store);
  const fields = new Map();
  if (isForm(media.type) && isObject(value)) {
    for (const [name, field] of Object.entries(value)) fields.set(name, textOf(field));
  }
  const isText = typeof value === 'string' && !isJson(media.type);
  const text = value === null || value === undefined ? '' : isText ? value : JSON.stringify(value, null, 2);
  return { type: media.type, text: isJson(media.type) || isText ? text : '', fields, schema: media.schema };
}

/** Names of form fields that take a file. */
export function fileFields(schema, store) {
  const { schema: found } = resolve(schema, store);
  const properties = isObject(found?.properties) ? Object.entries(found.properties) : [];
  const isFile = (value) => {
    const { schema: field } = resolve(value, store);
    return field?.type === 'file' || field?.format === 'binary' || field?.contentMediaType !== undefined;
  };
  return new Set(properties.filter(([, value]) => isFile(value)).map(([name]) => name));
}

/** The schemes that the chosen way asks for. */
export function schemesOf(index, { ways, way }) {
  const names = (ways[way] ?? []).map(({ name }) => name);
  return names.map((name) => index.schemes.find((scheme) => scheme.name === name)).filter(Boolean);
}

/**
 * @param secrets scheme name → `{value, user, password}`; null writes names in their place
 * @returns `{method, url, headers, body, cookies}`
 */
export function requestOf({ entry, operation, index, values, secrets }) {
  const query = [];
  const headers = [];
  const cookies = [];
  for (const parameter of operation.parameters) {
    const text = values.parameters.get(keyOf(parameter)) ?? '';
    if (text === '') continue;
    if (parameter.in === 'query') query.push(...queryPairs(parameter, text));
    else if (parameter.in === 'cookie') cookies.push([parameter.name, text]);
    else if (parameter.in === 'header' && !NOT_PARAMETERS.has(parameter.name.toLowerCase())) {
      headers.push([parameter.name, text]);
    }
  }
  for (const scheme of schemesOf(index, values)) prove(scheme, secrets, { query, headers, cookies });
  const path = entry.path.replace(/\{([^{}]+)\}/g, (all, name) => {
    const text = values.parameters.get(`path ${name}`) ?? '';
    return text === '' ? all : encodeURIComponent(text);
  });
  const base = serverAddress(values).replace(/\/$/, '');
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const hasBody = values.body !== null && !['get', 'head'].includes(entry.method);
  const body = hasBody ? values.body : null;
  if (body && !body.type.startsWith('multipart/')) headers.push(['Content-Type', body.type]);
  const accepted = acceptOf(operation);
  if (accepted) headers.push(['Accept', accepted]);
  return { method: entry.method.toUpperCase(), url: base + path + (search && `?${search}`), headers, body, cookies };
}

function queryPairs({ name, schema, explode, json }, text) {
  const isList = isObject(schema) && (schema.type === 'array' || schema.items !== undefined);
  if (!isList || !explode || json) return [[name, text]];
  return text.split(',').map((item) => [name, item.trim()]);
}

function prove(scheme, secrets, { query, headers, cookies }) {
  const known = secrets === null ? null : secrets.get(scheme.name);
  const said = (part, placeholder) => (secrets === null ? placeholder : (known?.[part] ?? ''));
  if (scheme.type === 'apiKey') {
    const value = said('value', PLACEHOLDERS.key);
    const target = { query, header: headers, cookie: cookies }[scheme.in];
    if (value !== '') target?.push([scheme.param, value]);
  } else if (scheme.type === 'http' && scheme.scheme === 'basic') {
    const pair = `${said('user', PLACEHOLDERS.user)}:${said('password', PLACEHOLDERS.password)}`;
    if (pair !== ':') headers.push(['Authorization', `Basic ${secrets === null ? pair : base64(pair)}`]);
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
