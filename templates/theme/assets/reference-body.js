import { exampleOf } from './reference-example.js';
import { isObject, resolve } from './reference-schema.js';
import { percent, queryPairs, readValue, writeValue } from './reference-serialize.js';

// Bodies of requests: what stands in their fields at first, and what is sent of it.

const FORM = 'application/x-www-form-urlencoded';
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|x-yaml|graphql|javascript|x-ndjson|jsonl|json-seq|sql)\b|^\*\/\*$/i;

const essence = (type) => type.split(';', 1)[0].trim().toLowerCase();
export const isForm = (type) => essence(type) === FORM || isMultipart(type);
export const isMultipart = (type) => essence(type).startsWith('multipart/');
const isJson = (type) => /[/+]json\b/i.test(type) || type === '*/*';

/** A body in one of its media types, filled with an example. */
export function bodyOf(media, store) {
  if (!media) return { type: 'application/json', text: '', fields: new Map(), files: new Map(), encoding: {} };
  const common = { type: media.type, schema: media.schema, encoding: media.encoding ?? {}, files: new Map() };
  if (isRawFile(media, store)) return { ...common, isFile: true, text: '', fields: new Map() };
  const value = media.examples.length > 0 ? media.examples[0].value : exampleOf(media.schema, store);
  const isText = typeof value === 'string' && !isJson(media.type);
  const text = value === null || value === undefined ? '' : isText ? value : JSON.stringify(value, null, 2);
  return {
    ...common,
    text: isJson(media.type) || isText ? text : '',
    fields: isForm(media.type) && isObject(value) ? fieldsOf(value, media.schema, store) : new Map(),
  };
}

function fieldsOf(value, schema, store) {
  const files = fileFields(schema, store);
  return new Map(Object.entries(value).map(([name, field]) => [name, files.has(name) ? '' : writeValue(field)]));
}

/** Whether the whole body is a file, such as a picture. */
function isRawFile({ type, schema }, store) {
  if (isForm(type)) return false;
  const { schema: found } = resolve(schema, store);
  if (found?.format === 'binary' || found?.type === 'file') return !isJson(type);
  return !TEXTUAL.test(type) && (found === null || found.contentEncoding === undefined);
}

function propertiesOf(schema, store, depth = 0) {
  const { schema: found } = resolve(schema, store);
  if (!found || depth > 4) return {};
  const parts = Array.isArray(found.allOf) ? found.allOf.map((part) => propertiesOf(part, store, depth + 1)) : [];
  return Object.assign({}, ...parts, isObject(found.properties) ? found.properties : {});
}

/** Names of the fields of a form. */
export const formFields = (schema, store) => Object.keys(propertiesOf(schema, store));

/** Names of form fields that take a file → whether they take several. */
export function fileFields(schema, store) {
  const isFile = (value) => {
    const { schema: field } = resolve(value, store);
    const isCoded = field?.contentEncoding !== undefined;
    return field?.type === 'file' || field?.format === 'binary' || (field?.contentMediaType !== undefined && !isCoded);
  };
  const found = new Map();
  for (const [name, value] of Object.entries(propertiesOf(schema, store))) {
    const { schema: field } = resolve(value, store);
    if (isFile(value)) found.set(name, false);
    else if (field?.items !== undefined && isFile(field.items)) found.set(name, true);
  }
  return found;
}

/**
 * What is sent: `{kind: 'text', type, text}`, `{kind: 'form', type, text, pairs}`, `{kind: 'multipart', type, parts}` or
 * `{kind: 'file', type, file}`; null when nothing is filled in. `pairs` is null for a form that only `text` can tell.
 */
export function payloadOf(body, store) {
  if (body === null) return null;
  const type = body.type === '*/*' ? 'application/json' : body.type;
  if (isMultipart(type)) return { kind: 'multipart', type, parts: partsOf(body, store) };
  if (isForm(type)) return formOf(body, type, store);
  if (!body.isFile) return body.text === '' ? null : { kind: 'text', type, text: body.text };
  const file = body.files.get('')?.[0] ?? null;
  const named = type.includes('*') ? file?.type || 'application/octet-stream' : type;
  return { kind: 'file', type: named, file };
}

function formOf(body, type, store) {
  const all = filledIn(body, store).flatMap((field) => fieldPairs(field));
  const plus = (text) => text.replaceAll('%20', '+');
  const pairs = all.map((pair) => pair.map(decoded));
  const isWhole = pairs.every((pair, number) => pair.every((text, part) => percent(text) === all[number][part]));
  const text = all.map(([name, value]) => `${plus(name)}=${plus(value)}`).join('&');
  return { kind: 'form', type, text, pairs: isWhole ? pairs : null };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function filledIn({ fields, schema, encoding }, store) {
  const properties = propertiesOf(schema, store);
  return [...fields]
    .filter(([, text]) => text !== '')
    .map(([name, text]) => {
      const said = Object.hasOwn(encoding, name) ? encoding[name] : null;
      const property = Object.hasOwn(properties, name) ? properties[name] : null;
      return { name, said, value: readValue(text, property, store, said?.style === 'deepObject') };
    });
}

// With a style, fields are written like parameters; without, each value is written in its own media type.
function fieldPairs({ name, said, value }) {
  if (said?.style) return queryPairs({ ...said, name }, value);
  return (Array.isArray(value) ? value : [value]).map((item) => [percent(name), percent(item)]);
}

function partsOf(body, store) {
  const files = fileFields(body.schema, store);
  const parts = filledIn(body, store).flatMap(({ name, said, value }) => {
    if (said?.style)
      return fieldPairs({ name, said, value }).map((pair) => ({
        name: decoded(pair[0]),
        value: decoded(pair[1]),
        type: '',
      }));
    return (Array.isArray(value) ? value : [value]).map((item) => {
      const isPlain = typeof item !== 'object';
      return {
        name,
        value: isPlain ? String(item) : JSON.stringify(item),
        type: firstType(said) || (isPlain ? '' : 'application/json'),
      };
    });
  });
  for (const name of files.keys()) {
    const chosen = body.files.get(name) ?? [];
    const type = firstType(body.encoding[name]);
    if (chosen.length === 0) parts.push({ name, file: null, type });
    for (const file of chosen) parts.push({ name, file, type });
  }
  return parts;
}

function firstType(said) {
  const type = said?.contentType?.split(',', 1)[0].trim() ?? '';
  return /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w-]+=[\w.-]+)*$/.test(type) ? type : '';
}

/** `{type, content}` as `fetch` takes them. A part says of itself what its encoding tells, which `FormData` cannot. */
export function contentOf(payload) {
  if (payload === null) return { type: '', content: undefined };
  if (payload.kind === 'file') return { type: payload.type, content: payload.file ?? undefined };
  if (payload.kind !== 'multipart') return { type: payload.type, content: payload.text };
  const boundary = `portal-${[...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join('')}`;
  const safe = (text) => text.replace(/["\r\n]/g, (sign) => percent(sign));
  const pieces = payload.parts
    .filter(({ file }) => file !== null)
    .flatMap(({ name, value, file, type }) => {
      const named = `Content-Disposition: form-data; name="${safe(name)}"${file ? `; filename="${safe(file.name)}"` : ''}`;
      const said = type || (file ? file.type || 'application/octet-stream' : '');
      return [`--${boundary}\r\n${named}\r\n${said ? `Content-Type: ${said}\r\n` : ''}\r\n`, file ?? value, '\r\n'];
    });
  const type = `${essence(payload.type)}; boundary=${boundary}`;
  return { type, content: new Blob([...pieces, `--${boundary}--\r\n`]) };
}
