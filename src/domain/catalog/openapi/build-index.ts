import { SpecRefusal } from './refusal.js';
import { firstCallOf, type FirstCall } from './first-call.js';
import { arrayOf, isObject, LONGEST_TEXT, Lookup, objectOf, readString, type JsonObject } from './lookup.js';
import { indexOperation, operationsIn, type IndexedOperation } from './operation.js';
import { FragmentCutter, type Fragments } from './fragments.js';
import { actionsOf, brokerSecurity, brokersOf, type FoundAction } from './asyncapi.js';
import { groupsOf, LONGEST_TAG, tagsOf } from './tags.js';
import { proseOf } from './prose.js';
import { requirementsOf, schemesOf } from './security.js';
import { baseAddress, serversOf, swaggerServers, type IndexedServer } from './servers.js';

/** Of a summary: GitHub has whole descriptions there. */
const LONGEST_IN_LISTS = 300;
/** Beyond any real API; the rest of such a document is not shown. */
const MOST_OPERATIONS = 20_000;

/** An operation as lists show it. */
export interface OutlineOperation {
  readonly method: string;
  /** For a webhook, its name. */
  readonly path: string;
  readonly summary: string;
  /** The first of its tags. */
  readonly tag: string;
  readonly otherTags: readonly string[];
  /** As documents name it; empty without one. */
  readonly id: string;
  /** Its URL fragment: `#<anchor>`. */
  readonly anchor: string;
  readonly isDeprecated: boolean;
  readonly isWebhook: boolean;
}

/** What language a document is written in. */
export type DocumentKind = 'openapi' | 'asyncapi' | 'graphql';

/** What a page shows of a document without JavaScript. */
export interface SpecOutline {
  readonly kind: DocumentKind;
  /** Language and version: `OpenAPI 3.1.0`. */
  readonly format: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly base: string | null;
  readonly firstCall: FirstCall;
  readonly operations: readonly OutlineOperation[];
}

/** An indexed document: what the reference loads at once (`index`, as JSON), and fragments that it loads on demand. */
export interface IndexParts extends Fragments {
  readonly outline: SpecOutline;
  readonly index: Uint8Array;
}

interface Found {
  readonly entry: OutlineOperation;
  /** Of OpenAPI, as the document has it. */
  readonly operation: JsonObject;
  readonly indexed: () => IndexedOperation;
}

/**
 * Indexes an OpenAPI, Swagger or AsyncAPI document. Its content is untrusted: whatever is missing or of another type is left out.
 * @throws SpecRefusal if it is not a JSON object, or is nested too deep to be serialised
 */
export function buildIndex(json: string): IndexParts {
  const document = parseObject(json);
  const lookup = new Lookup(document);
  if (document.asyncapi === undefined) return cutIndex('openapi', document, operationsOf(document, lookup));
  return buildActionIndex('asyncapi', document, actionsOf(document, lookup));
}

/** The same of a document whose operations are known. */
export function buildActionIndex(
  kind: DocumentKind,
  document: JsonObject,
  actions: readonly FoundAction[],
): IndexParts {
  return cutIndex(kind, document, actionEntries(actions));
}

function cutIndex(kind: DocumentKind, document: JsonObject, found: readonly Found[]): IndexParts {
  const lookup = new Lookup(document);
  const cutter = new FragmentCutter(lookup);
  for (const { indexed, entry } of found) {
    const operation = indexed();
    const names = `${entry.method} ${entry.path} ${operation.summary} ${entry.anchor} ${entry.tag}`;
    cutter.add(operation, names);
  }
  for (const name of namesOfSchemas(document)) cutter.addSchema(pointerTo(schemasAt(document), name));
  const servers = serversIn(document, lookup);
  const operations = found.map(({ entry }) => entry);
  const { title, version, description } = objectOf(document.info);
  const outline: SpecOutline = {
    ...{ kind, format: kind === 'graphql' ? 'GraphQL' : formatOf(document) },
    ...{ title: readString(title), version: readString(version), description: readString(description, LONGEST_TEXT) },
    ...{
      base: kind === 'openapi' ? baseAddress(servers) : null,
      firstCall: firstCallOf(document, found, lookup),
      operations,
    },
  };
  const shown = indexOf(document, lookup, servers, outline);
  const index = JSON.stringify({ ...shown, prose: proseOf({ ...shown, operations: [] }) });
  return { outline, index: Uint8Array.from(Buffer.from(index)), ...cutter.finish() };
}

function parseObject(json: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    throw new SpecRefusal('The stored document is not JSON.');
  }
  if (isObject(document)) return document;
  throw new SpecRefusal('The stored document is not an object.');
}

function operationsOf(document: JsonObject, lookup: Lookup): Found[] {
  const anchors = new Set<string>();
  const found: Found[] = [];
  for (const isWebhook of [false, true]) {
    const hooks = { ...objectOf(document['x-webhooks']), ...objectOf(document.webhooks) };
    for (const [path, value] of Object.entries(isWebhook ? hooks : objectOf(document.paths))) {
      const item = lookup.pathItem(value);
      for (const [method, operation] of operationsIn(item)) {
        if (found.length >= MOST_OPERATIONS) break;
        const [tag = '', ...otherTags] = new Set(arrayOf(operation.tags).map((name) => readString(name, LONGEST_TAG)));
        const entry = {
          ...{ method, path: readString(path), isWebhook, tag, otherTags },
          id: readString(operation.operationId),
          summary: readString(operation.summary, LONGEST_IN_LISTS),
          anchor: anchorOf(operation.operationId, method, path, anchors),
          isDeprecated: operation.deprecated === true,
        };
        found.push({ entry, operation, indexed: () => indexOperation(operation, item, document, lookup) });
      }
    }
  }
  return found;
}

function actionEntries(actions: readonly FoundAction[]): Found[] {
  const anchors = new Set<string>();
  return actions.slice(0, MOST_OPERATIONS).map(({ method, path, id, summary, tags, isDeprecated, operation }) => {
    const [tag = '', ...otherTags] = new Set(tags.map((name) => readString(name, LONGEST_TAG)));
    const anchor = anchorOf(id, method, path, anchors);
    const listed = readString(summary, LONGEST_IN_LISTS);
    const entry = { method, path, id, summary: listed, tag, otherTags, anchor, isDeprecated, isWebhook: false };
    return { entry, operation: {}, indexed: () => operation };
  });
}

function serversIn(document: JsonObject, lookup: Lookup): IndexedServer[] {
  if (document.asyncapi !== undefined) return brokersOf(document, lookup);
  return document.swagger === undefined ? serversOf(document.servers) : swaggerServers(document);
}

function formatOf({ asyncapi, swagger, openapi }: JsonObject): string {
  if (asyncapi !== undefined) return `AsyncAPI ${readString(asyncapi)}`;
  return swagger === undefined ? `OpenAPI ${readString(openapi)}` : 'Swagger 2.0';
}

/** Stable while the operation keeps its id, or its method and path. */
function anchorOf(id: unknown, method: string, path: string, taken: Set<string>): string {
  const name = readString(id, 200) || `${method}${path.slice(0, 200)}`;
  const cleaned = name.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^-+|(?<!-)-+$/g, '') || method;
  // An address that ends in `.md` is the Markdown of the operation; dots alone would be a folder.
  const plain = cleaned.replace(/[.]md$/i, '-md').replace(/^[.]+$/, method);
  let anchor = plain;
  for (let count = 2; taken.has(anchor); count += 1) anchor = `${plain}-${count}`;
  taken.add(anchor);
  return anchor;
}

function indexOf(document: JsonObject, lookup: Lookup, servers: readonly IndexedServer[], outline: SpecOutline) {
  const { info, externalDocs } = document;
  const { contact, license, termsOfService, summary } = objectOf(info);
  const tags = tagsOf(document, outline.operations);
  const numbers = new Map(tags.map(({ name }, number) => [name, number]));
  const link = (value: unknown) => ({ name: readString(objectOf(value).name), url: readString(objectOf(value).url) });
  return {
    kind: outline.kind,
    format: outline.format,
    title: outline.title,
    version: outline.version,
    summary: readString(summary),
    description: outline.description,
    termsOfService: readString(termsOfService),
    contact: { ...link(contact), email: readString(objectOf(contact).email) },
    license: link(license),
    externalDocs: { name: readString(objectOf(externalDocs).description), url: readString(objectOf(externalDocs).url) },
    servers,
    security: outline.kind === 'asyncapi' ? brokerSecurity(document, lookup) : requirementsOf(document.security),
    schemes: schemesOf(document, lookup),
    tags,
    groups: groupsOf(document, tags),
    schemas: { at: schemasAt(document), names: namesOfSchemas(document) },
    // Arrays are much shorter than objects, which adds up over a thousand operations.
    operations: outline.operations.map(({ method, path, summary, tag, otherTags, anchor, isDeprecated, isWebhook }) => [
      ...[method, path, summary, numbers.get(tag), anchor],
      (isDeprecated ? 1 : 0) + (isWebhook ? 2 : 0),
      ...otherTags.map((name) => numbers.get(name)),
    ]),
  };
}

/** Where the schemas are that have names. */
function schemasAt(document: JsonObject): string {
  return document.swagger === undefined ? '#/components/schemas/' : '#/definitions/';
}

function namesOfSchemas(document: JsonObject): string[] {
  return Object.keys(
    objectOf(document.swagger === undefined ? objectOf(document.components).schemas : document.definitions),
  );
}

/** A JSON pointer. */
function pointerTo(place: string, name: string): string {
  return place + name.replaceAll('~', '~0').replaceAll('/', '~1');
}
