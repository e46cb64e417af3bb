import type { ObjectSchema, Schema } from 'joi';
import {
  DeclarationError,
  type ExpectedVersion,
  type ListOptions,
  type ListQuery,
  type RequestInfo,
} from '../core/index.js';
import type { PageReply, RawReply, SharedReply, Reply, StreamReply } from './answer/reply.js';
import type { Upload } from './request/upload.js';
import { withReadOnlyFields } from './request/validation.js';

export type RouteMethod = 'get' | 'post' | 'put' | 'delete';

/** Error statuses that an endpoint may declare, including failures of dependencies. */
export type ErrorStatus = 401 | 403 | 404 | 409 | 422 | 429 | 502 | 503 | 504;

/** API context: decides the prefix, the kind of token and the group in the docs. */
export type RouteContext = 'consumer' | 'admin';

/** `required`: no handler runs without a valid token. `optional`: a bad token counts as none. */
export type RouteAuth = 'required' | 'optional' | 'none';

/** The part of a signed-in account that the pipeline needs; the composition root defines the full types. */
export interface Actor {
  readonly id: number;
}

export interface RouteInput<Services, Who, Params, Query, Body, Found> {
  readonly services: Services;
  /** The signed-in account; null only where `auth` is not `required`. */
  readonly actor: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body of a route that declares an `upload`. */
  readonly upload: Upload;
  /** What `find` returned. */
  readonly found: Found;
  /** The validated list parameters of a route with `list`. */
  readonly list: ListQuery;
  /** From `If-Match`, for a route that is `versioned`. */
  readonly expected: ExpectedVersion;
  readonly request: RequestInfo & { readonly headers: Readonly<Record<string, string | string[] | undefined>> };
  /** The reader's language among the configured ones (`?locale=`, then `Accept-Language`). */
  readonly locale: string;
}

type Handled = Reply | PageReply | RawReply | SharedReply | StreamReply | object;

export interface UploadDeclaration<Services> {
  /** Field of the `multipart/form-data` body that holds the file. */
  readonly field: string;
  /** Permitted media types of the file, for the documentation. */
  readonly types: readonly string[];
  /** Maximum bytes of the file; the body may be a little longer. */
  readonly maxBytes: (services: Services) => number;
  /** Also accepts a JSON body of that size, described by `body`. It reaches the handler unread (S48). */
  readonly orJson?: true;
}

/**
 * One declaration of an endpoint, the only source of routing, validation, authorization, limits, documentation and
 * `portal routes`. Checks run in the order 401, 403, 404 (`params`, `find`), 413/415/400, 422.
 */
export interface RouteDeclaration<Services, Who, Params, Query, Body, Found> {
  method: RouteMethod;
  /** Relative to the API prefix, or to the admin prefix below it; parameters as `:name`. */
  path: string;
  context: RouteContext;
  /** Default `required`. */
  auth?: RouteAuth;
  /** Admin routes: the permission for the first layer. A route with a `policy` may omit it: `portal.admin.access`. */
  permission?: string;
  /** Admin routes: the check of the policy layer, `[ability, resource]`. */
  policy?: readonly [ability: string, resource: string];
  /** Name of the limit that guards this route, in addition to those of the service behind it. */
  throttle?: 'credentials' | 'tokens';
  /**
   * PUT of the record that `reply` shows: it may be sent back as it was read. The fields that `body` lacks are
   * recognised as the portal's own and have no effect; every other name is refused.
   */
  record?: true;
  /** Supports `If-Match`; the handler passes `expected` on to where the record is locked. */
  versioned?: true;
  /**
   * Takes `Idempotency-Key`: a POST that is retried runs once and is answered each time. `true`: keys are scoped to the
   * account. A route without one derives the scope from the body.
   */
  idempotent?: true | ((body: Body) => string);
  /**
   * Maximum calls to a slow dependency per answer, by its name and independent of the number of records: `{ gateway: 1
   * }`. Checked by `test/api/apps/gateway-budget.test.ts`.
   */
  budget?: Readonly<Record<string, number>>;
  /**
   * Exempt from gates: does what a module's gate requires, such as setting up a second factor, or signs out. Open to
   * accounts that a gate blocks.
   */
  exemptFromGates?: true;
  /** Ignores `Host`; for probes. */
  anyHost?: boolean;
  /** Served even when `portalApi.enabled` is off: for probes and pages. */
  withoutApi?: true;
  /** Error statuses that do not follow from the rest of the declaration, for the documentation. */
  errors?: readonly ErrorStatus[];
  /** Kind of the record that it changes as files in a repository would, for {@link RouteGuards.protect}. */
  manages?: string;
  /** Responds with a document of one of these media types instead of the envelope, as documented. */
  document?: {
    readonly types: readonly string[];
    /** Supports `If-None-Match` with 304. */ readonly conditional?: true;
  };
  /** Anonymous callers get a `SharedReply`: with an `ETag`, `If-None-Match` and 304. */
  shared?: true;
  /**
   * Responses that sign somebody in include `Portal-Device`; `asked`: the request may send one. For the documentation.
   */
  device?: 'asked' | 'answered';
  /** The response, or a mail that it causes, is in the reader's language. */
  localized?: true;
  /** OpenAPI operation id, usable as the name of an SDK method: `listApps`. */
  operation: string;
  tag: string;
  summary: string;
  description?: string;
  params?: ObjectSchema<Params>;
  query?: ObjectSchema<Query>;
  /**
   * The accepted fields; all others are refused with 422, as is every field without a schema. With an `upload` it is
   * documentation only: the handler validates the body.
   */
  body?: ObjectSchema<Body>;
  /** Accepts a file instead of a JSON body, or as an alternative to one. */
  upload?: UploadDeclaration<Services>;
  list?: ListOptions;
  /** Status → schema of `data`, or of the document. */
  reply: Readonly<Record<number, Schema>>;
  /**
   * Loads what the path refers to, before the body is read; throws NotFoundError for anything missing or of another
   * account.
   */
  find?(
    input: Omit<RouteInput<Services, Who, Params, never, never, never>, 'list' | 'expected' | 'upload'>,
  ): Promise<Found>;
  handle(input: RouteInput<Services, Who, Params, Query, Body, Found>): Handled | Promise<Handled>;
}

/** A declared route with its types erased, for the pipeline, the docs and `portal routes`. */
export type Route<Services = never> = Omit<
  RouteDeclaration<Services, unknown, unknown, unknown, unknown, unknown>,
  'find' | 'handle' | 'idempotent'
> & {
  readonly auth: RouteAuth;
  readonly idempotent?: true | ((body: never) => string);
  find?: (input: RouteInput<Services, never, never, never, never, never>) => Promise<unknown>;
  handle: (input: RouteInput<Services, never, never, never, never, never>) => Handled | Promise<Handled>;
};

type WhoOf<Context extends RouteContext, Auth extends RouteAuth, Consumer, Admin> = Auth extends 'required'
  ? Context extends 'admin'
    ? Admin
    : Consumer
  : Auth extends 'optional'
    ? (Context extends 'admin' ? Admin : Consumer) | null
    : null;

/** `defineRoute` for given services and account types; `api/define-route.ts` has the one that everybody uses. */
export function routeDefiner<Services, Consumer extends Actor, Admin extends Actor>() {
  return function defineRoute<
    const Context extends RouteContext,
    const Auth extends RouteAuth = 'required',
    Params = Record<string, never>,
    Query = Record<string, never>,
    Body = Record<string, never>,
    Found = undefined,
  >(
    route: { context: Context; auth?: Auth } & RouteDeclaration<
      Services,
      WhoOf<Context, Auth, Consumer, Admin>,
      Params,
      Query,
      Body,
      Found
    >,
  ): Route<Services> {
    const declared = { auth: 'required' as RouteAuth, ...route } as unknown as Route<Services>;
    refuseUndeclared(declared);
    const { record, body, reply } = declared;
    return record && body && reply[200] ? { ...declared, body: withReadOnlyFields(body, reply[200]) } : declared;
  };
}

// Default deny (S54): a route that does not declare who may use it stops the start.
function refuseUndeclared(route: Omit<Route, 'find' | 'handle'>): void {
  const name = `${route.method.toUpperCase()} ${route.context} ${route.path}`;
  if (route.context === 'admin' && route.auth === 'optional') {
    throw new DeclarationError(`${name}: an admin route takes auth 'required' or 'none'.`);
  }
  if (route.context === 'admin' && route.auth === 'required' && !route.permission && !route.policy) {
    throw new DeclarationError(`${name}: state a permission or a policy, or OWN_ACCOUNT for the admin's own account.`);
  }
  if (route.idempotent && (route.method !== 'post' || (route.idempotent === true && route.auth !== 'required'))) {
    throw new DeclarationError(
      `${name}: idempotent is for POST; without a required account it names the owner of keys.`,
    );
  }
  if (route.record && (route.method !== 'put' || !route.body || !route.reply[200])) {
    throw new DeclarationError(`${name}: record is for a PUT with a body that answers 200 with the record.`);
  }
  if (!route.path.startsWith('/')) throw new DeclarationError(`${name}: the path must begin with "/".`);
  if (Object.keys(route.reply).length === 0) throw new DeclarationError(`${name}: state at least one reply.`);
}

/** The active routes: without the REST API only those that do not belong to it. */
export function selectServedRoutes<R extends Pick<Route, 'withoutApi'>>(
  routes: readonly R[],
  { enabled }: { readonly enabled: boolean },
): readonly R[] {
  return enabled ? routes : routes.filter(({ withoutApi }) => withoutApi === true);
}

/** The full path of a route, including `:name` parameters. */
export function routePath(
  route: Pick<Route, 'context' | 'path'>,
  prefixes: { prefix: string; adminPrefix: string },
): string {
  return `${prefixes.prefix}${route.context === 'admin' ? `/${prefixes.adminPrefix}` : ''}${route.path}`;
}
