import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../document.js';
import type { Operation } from '../operation.js';
import { postmanRequest, type PostmanRequest } from './request.js';
import { resourcePaths } from './resource-paths.js';
import { GROUP_NAMES } from '../tags.js';
import { ACCOUNT_VARIABLES, tokenOf, type PostmanContext } from './variables.js';

interface Folder {
  readonly name: string;
  readonly description?: string;
  readonly auth?: object;
  readonly item: readonly (Folder | PostmanRequest)[];
}

export interface PostmanCollection {
  readonly info: {
    readonly _postman_id: string;
    readonly name: string;
    readonly description: string;
    readonly schema: string;
  };
  readonly auth: object;
  readonly variable: readonly { readonly key: string; readonly value: string; readonly description?: string }[];
  readonly item: readonly Folder[];
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/**
 * The document as a Postman collection (v2.1): a folder for each context and tag. Signing in keeps the token in a variable
 * that the other requests send, and what a request creates is what the next ones are about. The same document gives the
 * same collection, ids included.
 * @param baseUrl absolute address of the API, the initial value of `base_url`
 */
export function buildPostmanCollection(document: OpenApiDocument, baseUrl: string): PostmanCollection {
  const requests = requestsOf(document);
  const groups = document['x-tagGroups'].map(({ name, tags }) => {
    const folders = tags.map((tag) => folderOf(document, tag, requests.get(tag) ?? []));
    const context = contextOf(tags.flatMap((tag) => requests.get(tag) ?? []));
    return { name, auth: bearer(tokenOf(context)), item: folders };
  });
  const { title, description } = document.info;
  return {
    info: { _postman_id: stableId(title), name: title, description, schema: SCHEMA },
    auth: bearer(tokenOf('developer')),
    variable: variablesOf([...requests.values()].flat(), baseUrl),
    item: groups,
  };
}

interface Described {
  readonly context: PostmanContext;
  readonly request: PostmanRequest;
  readonly variables: readonly Variable[];
}

interface Variable {
  readonly key: string;
  readonly value: string;
}

/** Tag → its requests. */
function requestsOf(document: OpenApiDocument): Map<string, Described[]> {
  const byTag = new Map<string, Described[]>();
  const paths = resourcePaths(Object.keys(document.paths));
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const context = accountOf(operation, document);
      const described = postmanRequest({ path, method, operation, context, document, paths });
      const [tag] = operation.tags;
      byTag.set(tag, [...(byTag.get(tag) ?? []), described]);
    }
  }
  return byTag;
}

/** Whose token a request sends or brings; of what needs none the group tells. */
function accountOf({ security, tags }: Operation, document: OpenApiDocument): PostmanContext {
  if (security.some((scheme) => 'adminToken' in scheme)) return 'admin';
  const group = document['x-tagGroups'].find((one) => one.tags.includes(tags[0]));
  return group?.name === GROUP_NAMES.admin ? 'admin' : 'developer';
}

function contextOf(requests: readonly Described[]): PostmanContext {
  return requests.some(({ context }) => context === 'admin') ? 'admin' : 'developer';
}

function folderOf({ tags }: OpenApiDocument, name: string, requests: readonly Described[]): Folder {
  const description = tags.find((tag) => tag.name === name)?.description;
  return { name, ...(description !== undefined && { description }), item: requests.map(({ request }) => request) };
}

function bearer(token: string): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${token}}}`, type: 'string' }] };
}

function variablesOf(requests: readonly Described[], baseUrl: string): PostmanCollection['variable'] {
  const known = new Map(requests.flatMap(({ variables }) => variables).map((variable) => [variable.key, variable]));
  const contexts = new Set(requests.map(({ context }) => context));
  const accounts = ACCOUNT_VARIABLES.filter(({ context }) => context === undefined || contexts.has(context));
  return [
    { key: 'base_url', value: baseUrl, description: 'Address of the API.' },
    ...accounts.map(({ key, value, description }) => ({ key, value, description })),
    ...[...known.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
  ];
}

/** A UUID that is the same whenever the collection is built, so that an import replaces the older one. */
function stableId(title: string): string {
  const hex = createHash('sha256').update(`portalkit ${title}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
