import { runAs, type ListPage, type ListQuery, type RequestInfo } from '../core/index.js';
import { etagOf, readIfMatch } from './answer/conditional.js';
import { PageReply, RawReply, Reply, SharedReply, StreamReply } from './answer/reply.js';
import { isRefusal, pathParams, type ChangeTarget, type Pipeline, type RouteGuards } from './pipeline.js';
import { parseListQuery } from './request/list-query.js';
import type { Upload } from './request/upload.js';
import { bodyValidator, validateQuery } from './request/validation.js';
import type { Actor, Route, RouteInput } from './route.js';

/** A call of a declared route from inside the process. */
export interface OperationCall {
  readonly actor: Actor;
  /** Parameters of the path by name. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** As in a query string: `page`, `order_by`, `filters` as JSON text. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly upload?: Upload;
  /** Value of `If-Match`. */
  readonly ifMatch?: string | undefined;
  readonly request: RequestInfo;
  readonly locale: string;
}

/** The result of a call, before it becomes JSON. */
export interface OperationResult {
  readonly status: number;
  /** The record as the API shows it, or the records of a page. */
  readonly data: unknown;
  /** The page of a list. */
  readonly page?: ListPage<unknown>;
  readonly message?: string;
  /** Version of the record, for `If-Match`. */
  readonly etag?: string;
  /** A document instead of data. */
  readonly document?: RawReply | StreamReply;
}

type LooseInput = RouteInput<unknown, never, never, never, never, never>;

/**
 * The declared routes as functions, for surfaces that do what the API does: the same permissions, policies, validation,
 * versions and refusals, without a request over the network.
 */
export class Operations<Services> {
  private readonly routes: ReadonlyMap<string, Route<Services>>;
  private readonly validators = new Map<string, (body: unknown) => unknown>();

  constructor(
    routes: readonly Route<Services>[],
    private readonly pipeline: Pipeline<Services>,
  ) {
    this.routes = new Map(routes.map((route) => [route.operation, route]));
  }

  /** @throws Error for an operation that no route declares */
  route(operation: string): Route<Services> {
    const route = this.routes.get(operation);
    if (!route) throw new Error(`no route declares the operation ${operation}`);
    return route;
  }

  has(operation: string): boolean {
    return this.routes.has(operation);
  }

  /** Whether the account may call an operation at all; a refusal is not recorded. */
  async may(operation: string, actor: Actor): Promise<boolean> {
    const route = this.route(operation);
    try {
      await this.pipeline.guards.admit(actor, route);
      await this.authorize(route, actor, { requestId: '', ip: '', userAgent: '' });
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  /** @throws ForbiddenError, which is recorded, for an account that may not call the operation */
  async require(operation: string, { actor, request }: Pick<OperationCall, 'actor' | 'request'>): Promise<void> {
    const route = this.route(operation);
    await this.record(route, actor, request, () => this.authorize(route, actor, request));
  }

  /**
   * Validates a body as the route does.
   * @throws ValidationError
   */
  validate(operation: string, body: unknown): unknown {
    const route = this.route(operation);
    const validate = this.validators.get(operation) ?? bodyValidator(route.body);
    this.validators.set(operation, validate);
    return validate(body);
  }

  /** @throws the errors of the route */
  async run(operation: string, call: OperationCall): Promise<OperationResult> {
    const route = this.route(operation);
    const { guards } = this.pipeline;
    const { actor, request } = call;
    return this.record(route, actor, request, () =>
      runAs({ person: guards.describe(actor), request }, async () => {
        await guards.admit(actor, route);
        await this.authorize(route, actor, request);
        return this.perform(route, call);
      }),
    );
  }

  private async record<T>(
    route: Route<Services>,
    actor: Actor,
    request: RequestInfo,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (route.context === 'admin' && isRefusal(error))
        await this.pipeline.guards.recordRefusal(route, error, actor, request);
      throw error;
    }
  }

  private async authorize(route: Route<Services>, actor: Actor, request: RequestInfo): Promise<void> {
    const guard: RouteGuards['authorize'] = this.pipeline.guards.authorize.bind(this.pipeline.guards);
    if (route.context === 'admin') await guard(actor, route, request);
  }

  private async perform(route: Route<Services>, call: OperationCall): Promise<OperationResult> {
    const { services, settings } = this.pipeline;
    const { actor, params = {}, query = {}, body = {}, upload, ifMatch, request, locale } = call;
    const input: Record<string, unknown> = { services, actor, locale, upload, request: { ...request, headers: {} } };
    input.params = route.params ? pathParams(route.params, params) : {};
    input.found = route.find ? await route.find(input as unknown as LooseInput as never) : undefined;
    if (route.method !== 'get') await this.pipeline.guards.protect?.(actor, route, input as unknown as ChangeTarget);
    input.query = route.query ? validateQuery(route.query, query) : {};
    input.list = route.list ? parseListQuery(query, route.list, settings) : undefined;
    const bodiless = route.method === 'get' || upload !== undefined;
    input.body = bodiless ? {} : this.validate(route.operation, body);
    input.expected = route.versioned ? readIfMatch(ifMatch) : undefined;
    return resultOf(await route.handle(input as unknown as LooseInput as never));
  }

  /**
   * The validated list parameters of an operation.
   * @throws ValidationError
   */
  listQuery(operation: string, query: Readonly<Record<string, unknown>>): ListQuery {
    const { list } = this.route(operation);
    if (!list) throw new Error(`${operation} is not a list`);
    return parseListQuery(query, list, this.pipeline.settings);
  }
}

function resultOf(outcome: object): OperationResult {
  if (outcome instanceof SharedReply) return resultOf(outcome.make());
  if (outcome instanceof PageReply) return { status: 200, data: outcome.page.items, page: outcome.page };
  if (outcome instanceof RawReply) return { status: outcome.status, data: null, document: outcome };
  if (outcome instanceof StreamReply) return { status: 200, data: null, document: outcome };
  const { status, data, options } = outcome instanceof Reply ? outcome : new Reply(200, outcome);
  const etag = etagOf(data);
  const { message } = options;
  return { status, data, ...(message !== undefined && { message }), ...(etag !== undefined && { etag }) };
}
