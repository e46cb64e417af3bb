import { isCreation, jsonBody } from './names.js';
import { resourceAt, singular } from './resource-paths.js';
import type { RequestParts } from './request-parts.js';

/** Requests in an order in which each finds the records it needs, in three parts. */
export interface RunOrder<Request extends RequestParts> {
  /** Signing in, and creating the records that the others need. */
  readonly setUp: readonly Request[];
  /** Reading and changing. */
  readonly use: readonly RequestStep<Request>[];
  /** Removing what was created, dependent records first; then signing out. */
  readonly cleanUp: readonly RequestStep<Request>[];
}

export interface RequestStep<Request extends RequestParts> {
  readonly request: Request;
  /** A repeated request: signing in again after the sign-in was ended. */
  readonly isRepeated: boolean;
}

/**
 * The package's own sign-in operations, in this order; hosts cannot have operations of these names. The reset comes
 * before keys exist, because it may revoke them.
 */
const SIGN_IN = ['adminLogin', 'register', 'forgotPassword', 'resetPassword', 'login'];
/** Operation that ends a sign-in → the operation that starts the next one. */
const ENDS_SIGN_IN: Readonly<Record<string, string>> = {
  endSession: 'login',
  endAllSessions: 'login',
  logout: 'login',
  endAdminSession: 'adminLogin',
  endAdminAllSessions: 'adminLogin',
  adminLogout: 'adminLogin',
};
/** Run in this order, at the end. */
const LEAVING = [
  ...['endSession', 'endAllSessions', 'logout', 'deleteAccount'],
  ...['endAdminSession', 'endAdminAllSessions', 'adminLogout'],
];

export function orderOfRun<Request extends RequestParts>(requests: readonly Request[]): RunOrder<Request> {
  const creations = requests.filter((request) => creates(request));
  const setUp = [...signIns(requests, 'admin'), ...signIns(requests, 'developer'), ...sortByNeed(creations)];
  const removals = requests.filter((request) => request.method === 'delete' && !LEAVING.includes(idOf(request)));
  const rest = requests.filter(
    (request) => ![...setUp, ...removals].includes(request) && !LEAVING.includes(idOf(request)),
  );
  const leaving = LEAVING.flatMap((id) => requests.filter((request) => idOf(request) === id));
  return {
    setUp,
    use: signingInAgain(sortByUse(rest), requests),
    cleanUp: signingInAgain([...sortLastMadeFirst(removals, setUp), ...leaving], requests),
  };
}

function idOf({ operation }: RequestParts): string {
  return operation.operationId;
}

function creates({ method, path, operation, paths }: RequestParts): boolean {
  return method === 'post' && isCreation(path, operation, paths);
}

function signIns<Request extends RequestParts>(requests: readonly Request[], context: string): Request[] {
  return SIGN_IN.flatMap((id) => requests.filter((request) => request.context === context && idOf(request) === id));
}

/** Sorts creations so that what a request refers to in its path or body is created before it. */
function sortByNeed<Request extends RequestParts>(creations: readonly Request[]): Request[] {
  const ordered = new Set<Request>();
  const visiting = new Set<Request>();
  const visit = (request: Request): void => {
    if (visiting.has(request)) return;
    visiting.add(request);
    const needed = findNeeded(request);
    for (const other of creations) if (needed.has(other.path)) visit(other);
    ordered.add(request);
  };
  for (const request of creations) visit(request);
  return [...ordered];
}

/** Paths at which the records that a request needs are created; for records in its body, the resources by name. */
function findNeeded(request: RequestParts): Set<string> {
  const { path } = request;
  const before = [...path.matchAll(/\/\{\w+\}/g)].map(({ index }) => path.slice(0, index));
  const { example } = jsonBody(request.operation);
  const named = Object.entries(example ?? {})
    .filter(([, value]: [string, unknown]) => Array.isArray(value) && value.length > 0)
    .map(([field]) => singular(field));
  const creatable = request.paths.collections.filter((one) => named.includes(resourceAt(one)));
  return new Set([...before, ...creatable]);
}

const CLOSES = /^(?:revoke|deactivate|disable|suspend|lock|block|close|archive)/;

/**
 * Changes, then reads, then actions; what was closed is reopened at once, and a key is replaced last. Requests about
 * the own sign-in come before all of that: a new password ends the other sessions.
 */
function sortByUse<Request extends RequestParts>(requests: readonly Request[]): Request[] {
  const subjects = [...new Set(requests.map(subjectOf))];
  const placeOf = (request: Request): number[] => {
    const rank = rankOf(request);
    const isAction = rank === RANKS.action;
    return [
      rank,
      isAction ? subjects.indexOf(subjectOf(request)) : 0,
      isAction && !CLOSES.test(actionOf(request)) ? 1 : 0,
    ];
  };
  return [...requests].sort((a, b) => {
    const [first, second] = [placeOf(a), placeOf(b)];
    const at = first.findIndex((place, index) => place !== second[index]);
    return at === -1 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
  });
}

const RANKS = { ownSignIn: 0, change: 1, list: 2, record: 3, action: 4, replacement: 5 } as const;

function rankOf({ method, path, operation }: RequestParts): number {
  if (/\/auth\//.test(path) || (method === 'post' && /\/me\/[a-z]+$/.test(path))) return RANKS.ownSignIn;
  if (method === 'get') return path.endsWith('}') ? RANKS.record : RANKS.list;
  if (method !== 'post') return RANKS.change;
  return '201' in operation.responses ? RANKS.replacement : RANKS.action;
}

function subjectOf({ path }: RequestParts): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function actionOf({ path }: RequestParts): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function sortLastMadeFirst<Request extends RequestParts>(
  removals: readonly Request[],
  setUp: readonly Request[],
): readonly Request[] {
  const findMade = ({ path }: Request): number =>
    Math.max(...setUp.map((made, index) => (path.startsWith(`${made.path}/{`) ? index : -1)));
  return [...removals].sort((a, b) => findMade(b) - findMade(a) || b.path.length - a.path.length);
}

/** After a request that ends a sign-in, the next request of that account signs in again first. */
function signingInAgain<Request extends RequestParts>(
  ordered: readonly Request[],
  requests: readonly Request[],
): RequestStep<Request>[] {
  return ordered.flatMap((request, index) => {
    const isFollowed = ordered.slice(index + 1).some(({ context }) => context === request.context);
    const again = requests.filter((one) => isFollowed && idOf(one) === ENDS_SIGN_IN[idOf(request)]);
    return [{ request, isRepeated: false }, ...again.map((one) => ({ request: one, isRepeated: true }))];
  });
}
