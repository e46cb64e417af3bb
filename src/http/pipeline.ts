import type { Request, Response } from 'express';
import type { ObjectSchema } from 'joi';
import {
  runAs,
  ForbiddenError,
  NotFoundError,
  UnauthenticatedError,
  VISITOR,
  type ActingPerson,
  type IdempotencyStore,
  type ListQuery,
  type PortalError,
  type RequestInfo,
} from '../core/index.js';
import { createBodyReader, type BodyReader } from './request/body.js';
import { negotiateLocale, requestInfo } from './request/client.js';
import { paginationMeta, successEnvelope } from './answer/envelope.js';
import { json, write, type Answer } from './answer/answer.js';
import { idempotentCall, runOnce, readIdempotencyKey } from './idempotency.js';
import { parseListQuery, type PageSize } from './request/list-query.js';
import { isSentTwice } from './protection.js';
import { PageReply, RawReply, Reply, SharedReply, StreamReply } from './answer/reply.js';
import { sendStream } from './answer/send-stream.js';
import { SharedAnswers } from './answer/shared-answers.js';
import { type Actor, type Route, type RouteContext, type RouteInput } from './route.js';
import { etagOf, readIfMatch } from './answer/conditional.js';
import { requestIdOf } from './request/request-id.js';
import { readUpload } from './request/upload.js';
import { bodyValidator, validateQuery } from './request/validation.js';

/** Authorization checks. The domains implement them; the pipeline calls them in the contract's order. */
export interface RouteGuards {
  /** The account behind a bearer token. @throws UnauthenticatedError */
  authenticate(context: RouteContext, token: string, request: RequestInfo): Promise<Actor>;
  /** Whether the account may continue. @throws ForbiddenError */
  admit(actor: Actor, route: Pick<Route, 'operation' | 'exemptFromGates'>): Promise<void>;
  /** Both layers of admin authorization. @throws ForbiddenError */
  authorize(actor: Actor, route: Pick<Route, 'permission' | 'policy'>, request: RequestInfo): Promise<void>;
  /** Whether the account may change what the path names, whatever its permissions are. @throws ConflictError */
  protect?(actor: Actor, route: Pick<Route, 'manages'>, target: ChangeTarget): Promise<void>;
  /** The account as the audit log names it. */
  describe(actor: Actor): ActingPerson;
  /** Records a 401 or 403 on an admin route (S72). */
  recordRefusal(
    route: Pick<Route, 'operation'>,
    error: PortalError,
    actor: Actor | null,
    request: RequestInfo,
  ): Promise<void>;
  /** Counts a request against a named limit. @throws TooManyAttemptsError */
  throttle(limit: NonNullable<Route['throttle']>, request: RequestInfo): Promise<void>;
}

/** What a request is about. */
export interface ChangeTarget {
  readonly params: Readonly<Record<string, unknown>>;
  readonly found: unknown;
}

export interface PipelineSettings extends PageSize {
  /** Public base URL without a trailing slash. */
  readonly baseUrl: () => string;
  readonly bodyLimit: number;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
}

export interface Pipeline<Services> {
  readonly services: Services;
  readonly guards: RouteGuards;
  /** For routes that are `idempotent`. */
  readonly repetitions: IdempotencyStore;
  readonly settings: PipelineSettings;
}

type LooseInput = RouteInput<unknown, never, never, never, never, never>;
type RequestHeaders = LooseInput['request'];

/** The life of a request to a declared route, each step written once: 401 → 403 → 404 → 415/413/400 → 422 → handler. */
export function routeHandler<Services>(
  route: Route<Services>,
  pipeline: Pipeline<Services>,
): (request: Request, response: Response) => Promise<void> {
  const { services, guards, settings, repetitions } = pipeline;
  const readBody: BodyReader = createBodyReader(settings.bodyLimit);
  const validateBody = bodyValidator(route.body);
  const sharedAnswers = new SharedAnswers();
  const answer = async (request: Request, response: Response, info: RequestHeaders, actor: Actor | null) => {
    if (actor) await guards.admit(actor, route);
    if (actor && route.context === 'admin') await guards.authorize(actor, route, info);
    const input: Record<string, unknown> = {
      services,
      actor,
      request: info,
      locale: negotiateLocale(request, settings.locales, settings.defaultLocale),
      params: route.params ? pathParams(route.params, request.params) : {},
    };
    input.found = route.find ? await route.find(input as unknown as LooseInput as never) : undefined;
    if (actor && route.method !== 'get') await guards.protect?.(actor, route, input as unknown as ChangeTarget);
    const bodiless = request.method === 'GET' || request.method === 'HEAD' || route.upload !== undefined;
    if (route.upload) {
      const { field, maxBytes, orJson = false } = route.upload;
      input.upload = await readUpload(request, response, { field, maxBytes: maxBytes(services), orJson });
    }
    const rawBody = bodiless ? {} : await readBody(request, response);
    input.query = route.query ? validateQuery(route.query, request.query) : {};
    input.list = route.list ? parseListQuery(request.query, route.list, settings) : undefined;
    input.body = bodiless ? {} : validateBody(rawBody);
    input.expected = route.versioned ? readIfMatch(request.headers['if-match']) : undefined;
    const handle = () => route.handle(input as unknown as LooseInput as never);
    const list = input.list as ListQuery | undefined;
    const key = route.idempotent ? readIdempotencyKey(request) : undefined;
    if (key !== undefined) {
      const call = idempotentCall(route, request, key, actor, { raw: rawBody, valid: input.body });
      const work = async () => render(request, await handle(), settings, list);
      write(response, await runOnce(repetitions, call, work));
      return;
    }
    const outcome = await handle();
    if (outcome instanceof StreamReply) await sendStream(request, response, outcome);
    else if (outcome instanceof SharedReply) {
      const make = () => render(request, outcome.make(), settings, list);
      sharedAnswers.send(request, response, settings.baseUrl(), outcome, make);
    } else write(response, render(request, outcome, settings, list));
  };
  return async (request, response) => {
    const info = requestInfo(request, requestIdOf(response));
    let actor: Actor | null = null;
    try {
      if (route.throttle) await guards.throttle(route.throttle, info);
      actor = await identify(route, guards, request, info);
      const person = actor ? guards.describe(actor) : VISITOR;
      await runAs({ person, request: info }, () => answer(request, response, info, actor));
    } catch (error) {
      if (route.context === 'admin' && isRefusal(error)) await guards.recordRefusal(route, error, actor, info);
      throw error;
    }
  };
}

export function isRefusal(error: unknown): error is PortalError {
  return error instanceof UnauthenticatedError || error instanceof ForbiddenError;
}

async function identify<Services>(
  route: Route<Services>,
  guards: RouteGuards,
  request: Request,
  info: RequestInfo,
): Promise<Actor | null> {
  if (route.auth === 'none') return null;
  const token = bearerToken(request);
  if (route.auth === 'required') {
    if (token === null) throw new UnauthenticatedError();
    return guards.authenticate(route.context, token, info);
  }
  if (token === null) return null;
  try {
    return await guards.authenticate(route.context, token, info);
  } catch (error) {
    if (error instanceof UnauthenticatedError) return null;
    throw error;
  }
}

const TOKEN_MAX_BYTES = 4096;

// Only one Authorization header of the Bearer scheme (S22).
function bearerToken(request: Request): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.length > TOKEN_MAX_BYTES || isSentTwice(request, 'authorization')) return null;
  return /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1] ?? null;
}

// An impossible path parameter means a missing record, not a validation error.
export function pathParams(schema: ObjectSchema, params: Readonly<Record<string, unknown>>): unknown {
  const result = schema.validate(params, { convert: true, stripUnknown: true });
  if (result.error) throw new NotFoundError();
  return result.value;
}

function render(request: Request, outcome: object, settings: PipelineSettings, list?: ListQuery): Answer {
  if (outcome instanceof RawReply) return outcome;
  if (outcome instanceof PageReply) {
    const url = settings.baseUrl() + request.originalUrl.split('?', 1)[0];
    const query = list?.cursor === undefined ? request.query : { ...request.query, page: undefined };
    const meta = { pagination: paginationMeta(outcome.page, url, query) };
    return json(200, successEnvelope(200, '', outcome.page.items, meta));
  }
  const { status, data, options } = outcome instanceof Reply ? outcome : new Reply(200, outcome);
  const etag = etagOf(data);
  const headers = { ...(etag !== undefined && { etag }), ...options.headers };
  return json(status, successEnvelope(status, options.message ?? '', data), headers);
}
