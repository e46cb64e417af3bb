import { isCreation, jsonBody } from './names.js';
import { resourceAt, singular } from './resource-paths.js';
import type { RequestParts } from './request-parts.js';

/** Requests in the order in which each finds what it is about, in three parts. */
export interface RunOrder<Request extends RequestParts> {
  /** Signing in, and creating what the others are about. */
  readonly setUp: readonly Request[];
  /** Reading and changing. */
  readonly use: readonly RequestStep<Request>[];
  /** Removing what was created, what depends on something before that; then signing out. */
  readonly cleanUp: readonly RequestStep<Request>[];
}

export interface RequestStep<Request extends RequestParts> {
  readonly request: Request;
  /** It comes up a second time: signing in after what ended the sign-in. */
  readonly isRepeated: boolean;
}

/**
 * The package's own operations around signing in, in this order; hosts cannot have others of these names. A reset comes before
 * there are keys: it may revoke them.
 */
const SIGN_IN = ['adminLogin', 'register', 'forgotPassword', 'resetPassword', 'login'];
/** Ends a sign-in → how the next one begins. */
const ENDS_SIGN_IN: Readonly<Record<string, string>> = {
  endSession: 'login',
  endAllSessions: 'login',
  logout: 'login',
  endAdminSession: 'adminLogin',
  endAdminAllSessions: 'adminLogin',
  adminLogout: 'adminLogin',
};
/** In this order, at the end. */
const LEAVING = [
  ...['endSession', 'endAllSessions', 'logout', 'deleteAccount'],
  ...['endAdminSession', 'endAdminAllSessions', 'adminLogout'],
];

export function orderOfRun<Request extends RequestParts>(requests: readonly Request[]): RunOrder<Request> {
  const creations = requests.filter((request) => creates(request));
  const setUp = [...signIns(requests, 'admin'), ...signIns(requests, 'developer'), ...inOrderOfNeed(creations)];
  const removals = requests.filter((request) => request.method === 'delete' && !LEAVING.includes(idOf(request)));
  const rest = requests.filter(
    (request) => ![...setUp, ...removals].includes(request) && !LEAVING.includes(idOf(request)),
  );
  const leaving = LEAVING.flatMap((id) => requests.filter((request) => idOf(request) === id));
  return {
    setUp,
    use: signingInAgain(inOrderOfUse(rest), requests),
    cleanUp: signingInAgain([...lastMadeFirst(removals, setUp), ...leaving], requests),
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

/** What a request names in its path or body is created before it. */
function inOrderOfNeed<Request extends RequestParts>(creations: readonly Request[]): Request[] {
  const ordered = new Set<Request>();
  const visiting = new Set<Request>();
  const visit = (request: Request): void => {
    if (visiting.has(request)) return;
    visiting.add(request);
    const needed = neededResources(request);
    for (const other of creations) if (needed.has(other.path)) visit(other);
    ordered.add(request);
  };
  for (const request of creations) visit(request);
  return [...ordered];
}

/** Where the records are created that a request needs: paths, and of a body the resources by name. */
function neededResources(request: RequestParts): Set<string> {
  const { path } = request;
  const before = [...path.matchAll(/\/\{\w+\}/g)].map(({ index }) => path.slice(0, index));
  const { example } = jsonBody(request.operation);
  const named = Object.entries(example ?? {})
    .filter(([, value]: [string, unknown]) => Array.isArray(value) && value.length > 0)
    .map(([field]) => singular(field));
  const creatable = request.paths.collections.filter((one) => named.includes(resourceAt(one)));
  return new Set([...before, ...creatable]);
}

const CLOSES = /^(?:revoke|deactivate|disable|suspend|lock|block|close)/;

/**
 * Changing, then reading, then acting; what is closed is opened again at once, and a key is replaced last. What touches the
 * own sign-in comes before all of that: a new password ends the other sessions.
 */
function inOrderOfUse<Request extends RequestParts>(requests: readonly Request[]): Request[] {
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

function lastMadeFirst<Request extends RequestParts>(
  removals: readonly Request[],
  setUp: readonly Request[],
): readonly Request[] {
  const madeAt = ({ path }: Request): number =>
    Math.max(...setUp.map((made, index) => (path.startsWith(`${made.path}/{`) ? index : -1)));
  return [...removals].sort((a, b) => madeAt(b) - madeAt(a) || b.path.length - a.path.length);
}

/** After what ends a sign-in, the next request of that account comes with a new one. */
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
