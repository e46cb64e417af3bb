import { SpecRefusal } from './refusal.js';
import { firstCallOf, type FirstCall } from './first-call.js';
import { arrayOf, isObject, Lookup, objectOf, readString, type JsonObject } from './lookup.js';
import { indexOperation } from './operation.js';
import { FragmentCutter, type Fragments } from './fragments.js';
import { proseOf } from './prose.js';
import { requirementsOf, schemesOf } from './security.js';
import { baseAddress, serversOf, swaggerServers, type IndexedServer } from './servers.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];
/** Beyond any real API; the rest of such a document is not shown. */
const MOST_OPERATIONS = 20_000;
const LONGEST_PATH = 2_000;
const LONGEST_TEXT = 50_000;

/** An operation as lists show it. */
export interface OutlineOperation {
  readonly method: string;
  /** For a webhook, its name. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Its URL fragment: `#<anchor>`. */
  readonly anchor: string;
  readonly isDeprecated: boolean;
  readonly isWebhook: boolean;
}

/** What a page shows of a document without JavaScript. */
export interface SpecOutline {
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
  readonly operation: JsonObject;
  readonly item: JsonObject;
}

/**
 * Indexes an OpenAPI or Swagger document. Its content is untrusted: whatever is missing or of another type is left out.
 * @throws SpecRefusal if it is not a JSON object, or is nested too deep to be serialised
 */
export function buildIndex(json: string): IndexParts {
  const document = parseObject(json);
  const lookup = new Lookup(document);
  const found = operationsOf(document, lookup);
  const cutter = new FragmentCutter(lookup);
  for (const { operation, item } of found) cutter.add(indexOperation(operation, item, document, lookup));
  const servers = document.swagger === undefined ? serversOf(document.servers) : swaggerServers(document);
  const operations = found.map(({ entry }) => entry);
  const { title, version, description } = objectOf(document.info);
  const outline = {
    ...{ title: readString(title), version: readString(version), description: readString(description, LONGEST_TEXT) },
    ...{ base: baseAddress(servers), firstCall: firstCallOf(document, found, lookup), operations },
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
    for (const [path, value] of Object.entries(objectOf(isWebhook ? document.webhooks : document.paths))) {
      const item = lookup.object(value);
      for (const method of METHODS) {
        const operation = item[method];
        if (!isObject(operation) || found.length >= MOST_OPERATIONS) continue;
        const entry = {
          ...{ method, path: readString(path, LONGEST_PATH), isWebhook },
          summary: readString(operation.summary, 300),
          tag: readString(arrayOf(operation.tags)[0], 200),
          anchor: anchorOf(operation.operationId, method, path, anchors),
          isDeprecated: operation.deprecated === true,
        };
        found.push({ entry, operation, item });
      }
    }
  }
  return found;
}

/** Stable while the operation keeps its id, or its method and path. */
function anchorOf(id: unknown, method: string, path: string, taken: Set<string>): string {
  const name = readString(id, 200) || `${method}${path.slice(0, 200)}`;
  const plain = name.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^-+|(?<!-)-+$/g, '') || method;
  let anchor = plain;
  for (let count = 2; taken.has(anchor); count += 1) anchor = `${plain}-${count}`;
  taken.add(anchor);
  return anchor;
}

function indexOf(document: JsonObject, lookup: Lookup, servers: readonly IndexedServer[], outline: SpecOutline) {
  const { info, externalDocs } = document;
  const { contact, license, termsOfService } = objectOf(info);
  const tags = tagsOf(document, outline);
  const numbers = new Map(tags.map(({ name }, number) => [name, number]));
  const link = (value: unknown) => ({
    name: readString(objectOf(value).name),
    url: readString(objectOf(value).url, 2_000),
  });
  return {
    format: document.swagger === undefined ? `OpenAPI ${readString(document.openapi)}` : 'Swagger 2.0',
    title: outline.title,
    version: outline.version,
    description: outline.description,
    termsOfService: readString(termsOfService, 2_000),
    contact: { ...link(contact), email: readString(objectOf(contact).email) },
    license: link(license),
    externalDocs: {
      name: readString(objectOf(externalDocs).description),
      url: readString(objectOf(externalDocs).url, 2_000),
    },
    servers,
    security: requirementsOf(document.security),
    schemes: schemesOf(document, lookup),
    tags,
    // Arrays are much shorter than objects, which adds up over a thousand operations.
    operations: outline.operations.map(({ method, path, summary, tag, anchor, isDeprecated, isWebhook }) => [
      ...[method, path, summary, numbers.get(tag), anchor],
      (isDeprecated ? 1 : 0) + (isWebhook ? 2 : 0),
    ]),
  };
}

/** In the order of the document's tag list, then of first use. Only tags in use. */
function tagsOf(document: JsonObject, { operations }: SpecOutline) {
  const used = new Set(operations.map(({ tag }) => tag));
  const described = new Map(
    arrayOf(document.tags)
      .filter(isObject)
      .map(({ name, description }) => [readString(name, 200), readString(description, 20_000)]),
  );
  const names = [...new Set([...[...described.keys()].filter((name) => used.has(name)), ...used])];
  return names.map((name) => ({ name, description: described.get(name) ?? '' }));
}
