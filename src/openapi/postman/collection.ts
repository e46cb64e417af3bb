import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../document.js';
import type { Operation } from '../operation.js';
import { GROUP_NAMES } from '../tags.js';
import { followUp, listKeptVariables, script, type Missing, type PostmanScript } from './follow-up.js';
import { runNames } from './names.js';
import { orderOfRun, type RequestStep } from './order.js';
import type { RequestParts } from './request-parts.js';
import { bearer, pathVariablesOf, postmanRequest, type PostmanRequest } from './request.js';
import { resourcePaths } from './resource-paths.js';
import {
  ACCOUNT_VARIABLES,
  OUTSIDE_VARIABLES,
  RUN_VARIABLE,
  tokenOf,
  variablesIn,
  type PostmanContext,
} from './variables.js';

interface Folder {
  readonly name: string;
  readonly description?: string;
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
  readonly variable: readonly Variable[];
  readonly item: readonly Folder[];
}

interface Variable {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/**
 * The document as a Postman collection (v2.1) that can be run as a whole: it signs in, creates the records that
 * requests need, reads and changes them, folder by folder, and removes them in the end. Each request checks its
 * response against the document. The same document gives the same collection, including ids.
 * @param baseUrl absolute address of the API, the initial value of `base_url`
 */
export function buildPostmanCollection(document: OpenApiDocument, baseUrl: string): PostmanCollection {
  const requests = requestsOf(document);
  const variables = pathVariables(requests);
  const toItem = (parts: RequestParts): PostmanRequest => {
    const request = postmanRequest(parts);
    return { ...request, event: [followUp(parts, findMissing(request, variables))] };
  };
  const { title, description } = document.info;
  return {
    info: {
      _postman_id: makeStableId(title),
      name: title,
      description: `${description}\n\n${HOW_TO_RUN}`,
      schema: SCHEMA,
    },
    auth: bearer(tokenOf('developer')),
    variable: [...accountVariables(requests, baseUrl), ...variables],
    item: foldersOf(document, requests, toItem),
  };
}

const HOW_TO_RUN = `The folders run in their order, from the first request to the last, and clean up after themselves. Fill in
\`admin_password\` before that, where the collection has it. To try single requests, run the first folder, then send them
one by one.`;

function foldersOf(
  document: OpenApiDocument,
  requests: readonly RequestParts[],
  toItem: (parts: RequestParts) => PostmanRequest,
): Folder[] {
  const { setUp, use, cleanUp } = orderOfRun(requests);
  const [first, ...others] = setUp.map(toItem);
  const groups = [...document['x-tagGroups']].sort((a, b) => rankOf(a.name) - rankOf(b.name));
  const repeated = new Map<string, number>();
  const numberRepeat = (item: PostmanRequest): PostmanRequest => {
    const times = (repeated.get(item.id) ?? 1) + 1;
    repeated.set(item.id, times);
    return { ...item, id: `${item.id}-${times}`, name: `${item.name}, once more` };
  };
  const toStep = ({ request, isRepeated }: RequestStep<RequestParts>) =>
    isRepeated ? numberRepeat(toItem(request)) : toItem(request);
  const byTag = (tag: string) => use.filter(({ request }) => request.operation.tags[0] === tag).map(toStep);
  return [
    {
      name: 'Set up',
      description: 'Signs in, and creates what the other requests are about.',
      item: first ? [{ ...first, event: [NEW_RUN, ...(first.event ?? [])] }, ...others] : [],
    },
    ...groups.map(({ name, tags }) => ({
      name,
      item: tags
        .map((tag) => ({ name: tag, ...describeTag(document, tag), item: byTag(tag) }))
        .filter(({ item }) => item.length > 0),
    })),
    {
      name: 'Clean up',
      description: 'Removes what was created, and signs out.',
      item: cleanUp.map(toStep),
    },
  ].filter(({ item }) => item.length > 0);
}

/** Admins come first: they publish what developers read. */
function rankOf(group: string): number {
  return group === GROUP_NAMES.admin ? 0 : 1;
}

const NEW_RUN: PostmanScript = script('prerequest', [
  `pm.collectionVariables.set('${RUN_VARIABLE}', Date.now().toString(36));`,
]);

function requestsOf(document: OpenApiDocument): RequestParts[] {
  const paths = resourcePaths(Object.keys(document.paths));
  const names = runNames(document, paths);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      return { path, method, operation, context: accountOf(operation, document), document, paths, names };
    }),
  );
}

/** The account whose token a request sends or obtains; for requests that need none, the group decides. */
function accountOf({ security, tags }: Operation, document: OpenApiDocument): PostmanContext {
  if (security.some((scheme) => 'adminToken' in scheme)) return 'admin';
  const group = document['x-tagGroups'].find((one) => one.tags.includes(tags[0]));
  return group?.name === GROUP_NAMES.admin ? 'admin' : 'developer';
}

/** Variables that no request of the collection sets: they are sent empty, or with the example. */
function findMissing({ request }: PostmanRequest, variables: readonly Variable[]): Missing {
  const { url } = request;
  const examples = variables.filter(({ value }) => value !== '' && !value.includes(`{{${RUN_VARIABLE}}}`));
  const inPath = variablesIn(JSON.stringify(url.variable ?? []));
  return {
    toBeFilled: findOutside({ request }),
    isGuess:
      asksForFactor(url.path) ||
      asksForOthers(url.path) ||
      inPath.some((name) => examples.some(({ key }) => key === name)),
  };
}

/** Variables of a request that only a person can fill in. */
function findOutside({ request: { url, body } }: Pick<PostmanRequest, 'request'>): string[] {
  const outside = OUTSIDE_VARIABLES.map(({ key }) => key);
  const mentioned = variablesIn(JSON.stringify([url.query ?? [], body ?? {}]));
  return [...new Set(mentioned.filter((name) => outside.includes(name)))];
}

/** A run does not enrol a second factor: it would then need one for every later sign-in. */
function asksForFactor(path: readonly string[]): boolean {
  return path.slice(-2).join('/') === 'mfa/recovery-codes';
}

/** Requests that need a second person: a run is one developer, who owns a team alone, is never invited and gets no notices. */
const OF_OTHERS = [
  'members',
  'move',
  'leave',
  'team-invitations',
  'notices',
  'domains',
  'requests',
  'team-requests',
  'team-codes',
];

function asksForOthers(path: readonly string[]): boolean {
  return OF_OTHERS.some((part) => path.includes(part));
}

function describeTag({ tags }: OpenApiDocument, name: string): { description?: string } {
  const description = tags.find((tag) => tag.name === name)?.description;
  return description === undefined ? {} : { description };
}

function accountVariables(requests: readonly RequestParts[], baseUrl: string): Variable[] {
  const contexts = new Set(requests.map(({ context }) => context));
  const accounts = ACCOUNT_VARIABLES.filter(({ context }) => context === undefined || contexts.has(context));
  const used = new Set(variablesIn(JSON.stringify(requests.map((parts) => postmanRequest(parts).request))));
  const outside = OUTSIDE_VARIABLES.filter(({ key }) => used.has(key));
  return [
    { key: 'base_url', value: baseUrl, description: 'Address of the API.' },
    ...accounts.map(({ key, value, description }) => ({ key, value, description })),
    ...outside.map((variable) => ({ value: '', ...variable })),
  ];
}

/** Path variables: empty until the run sets them, or the example if no request does. */
function pathVariables(requests: readonly RequestParts[]): Variable[] {
  const kept = new Set(requests.flatMap(listKeptVariables));
  // Where somebody has to fill something in first, there may be nothing to keep.
  const isUnsure = (item: PostmanRequest) => findOutside(item).length > 0 || asksForOthers(item.request.url.path);
  const unsure = requests.filter((parts) => isUnsure(postmanRequest(parts))).flatMap(listKeptVariables);
  for (const key of unsure) kept.delete(key);
  const known = new Map(requests.flatMap(pathVariablesOf).map(({ key, value }) => [key, value]));
  return [...known]
    .map(([key, value]) => ({ key, value: kept.has(key) ? '' : value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A UUID that is the same in every build, so that an import replaces the older collection. */
function makeStableId(title: string): string {
  const hex = createHash('sha256').update(`portalkit ${title}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
