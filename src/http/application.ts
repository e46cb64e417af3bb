import type { RequestListener, IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Logger, Tracer } from '../core/index.js';
import { LargeBodies } from './answer/large-bodies.js';
import type { HttpConfig } from './config.js';
import { endpointHandler, type Endpoint } from './endpoint.js';
import type { ReadinessProbe } from './health.js';
import { inTurn } from './in-turn.js';
import { fileHandler, pageErrorHandler, rootFileHandler } from './page-edge.js';
import { pageHandler, type PageSurface } from './page-surface.js';
import type { Pipeline } from './pipeline.js';
import { cors, hostCheck, securityHeaders } from './protection.js';
import { requestId, requestIdOf } from './request/request-id.js';
import { maskPath } from './request/shown-path.js';
import type { Route } from './route.js';
import { errorHandler, routeNotFound, routeRouter, type Prefixes } from './router.js';
import { StalledSockets } from './stalled-sockets.js';
import { traffic, type TrafficObserver, findMethod, routeOf } from './traffic.js';

/** Gives every request a span, except probes, which are answered earlier. */
function traceRequests(tracer: Tracer): RequestHandler {
  return (request, response, next) => {
    const method = findMethod(request.method) ?? '_OTHER';
    const facts = { 'http.request.method': method, 'url.scheme': request.protocol };
    tracer.receive(request.headers, facts, (span) => {
      response.once('close', () => {
        const { statusCode: status } = response;
        const template = templateOf(response);
        const name = template === undefined ? method : `${method} ${template}`;
        span.end(name, answerFacts(request, response, template), status >= 500);
      });
      next();
    });
  };
}

// Paths without a route are omitted: traces leave the system.
function answerFacts(request: Request, response: Response, template: string | undefined) {
  const { statusCode: status } = response;
  const route = routeOf(response);
  const isKnown = route !== undefined && !route.includes('*');
  return {
    'http.response.status_code': status,
    'portal.request_id': requestIdOf(response),
    ...(template && { 'http.route': template }),
    ...(isKnown && { 'url.path': maskPath(request.originalUrl, route) }),
    ...(status >= 500 && { 'error.type': String(status) }),
  };
}

/** `/api/v1/products/:slug` → `/api/v1/products/{slug}` */
function templateOf(response: Response): string | undefined {
  return routeOf(response)?.replace(/:(\w+)/g, '{$1}');
}

export interface ApplicationParts<Services> {
  readonly routes: readonly Route<Services>[];
  readonly endpoints: readonly Endpoint[];
  readonly surfaces: readonly PageSurface[];
  readonly prefixes: Prefixes;
  readonly pipeline: Pipeline<Services>;
  readonly readiness: Pick<ReadinessProbe, 'isOpen' | 'admit'>;
  readonly logger: Logger;
  /** Called for every response. */
  readonly onAnswered: TrafficObserver | null;
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  /** Number of trusted proxy hops; never `true` (S17). */
  readonly trustProxy: number;
  readonly allowedHosts: () => readonly string[];
  readonly https: () => boolean;
  readonly corsOrigins: readonly string[];
  /** Target of `GET /`; null for none. */
  readonly home: string | null;
  /** Limits for slow clients. */
  readonly readers: Pick<HttpConfig, 'sendTimeout' | 'answerMemory'>;
}

/** The whole web application, in the order in which a request passes through it. */
export function createApplication<Services>(parts: ApplicationParts<Services>): RequestListener {
  const { routes, prefixes, pipeline, logger } = parts;
  const probes = routes.filter((route) => route.anyHost === true);
  const ordinary = routes.filter((route) => route.anyHost !== true);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxy);
  app.set('query parser', 'simple');
  app.locals.largeBodies = new LargeBodies(parts.readers.answerMemory);

  if (parts.onAnswered) app.use(traffic(parts.onAnswered));
  app.use(requestId);
  app.use(securityHeaders(parts.https));
  app.use(routeRouter(probes, prefixes, pipeline));
  if (parts.tracer) app.use(traceRequests(parts.tracer));
  for (const surface of parts.surfaces) {
    if (surface.files) app.use(surface.files.path, hostCheck(parts.allowedHosts), fileHandler(surface));
  }
  app.use(admitWhenReady(parts.readiness));
  const ofAnyHost = parts.endpoints.filter((endpoint) => endpoint.checksHost !== true);
  for (const endpoint of ofAnyHost) app.use([...endpoint.paths], endpointHandler(endpoint));
  app.use(hostCheck(parts.allowedHosts));
  for (const endpoint of parts.endpoints) {
    if (endpoint.checksHost) app.use([...endpoint.paths], endpointHandler(endpoint));
  }
  app.use(prefixes.prefix, cors(parts.corsOrigins));
  app.use(skipPages(parts, routeRouter(ordinary, prefixes, pipeline)));
  for (const surface of parts.surfaces) app.use(surface.prefix, pageHandler(surface));
  for (const surface of parts.surfaces) {
    app.use(rootFileHandler(surface));
    // With `all`, which leaves the path of the request whole.
    if (surface.rootPages?.length) app.all([...surface.rootPages], pageHandler(surface));
  }
  if (parts.home !== null) app.get('/', leadTo(parts.home));
  app.use(routeNotFound);
  app.use(pageErrorHandler(parts.surfaces, prefixes.prefix));
  app.use(errorHandler(logger));
  const listener: RequestListener = (request, response) => {
    toOriginForm(request);
    app(request, response);
  };
  return inTurn(listener, new StalledSockets(parts.readers.sendTimeout * 1000));
}

function admitWhenReady(readiness: ApplicationParts<unknown>['readiness']): RequestHandler {
  return (_request, _response, next) => {
    if (readiness.isOpen) return next();
    return readiness.admit().then(next);
  };
}

type PageParts = Pick<ApplicationParts<unknown>, 'surfaces' | 'prefixes'>;

// Pages skip the route table of the API.
function skipPages({ surfaces, prefixes }: PageParts, routes: RequestHandler): RequestHandler {
  const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
  return (request, response, next) => {
    const isPage = surfaces.some(({ prefix }) => isBelow(request.path, prefix));
    if (isPage && !isBelow(request.path, prefixes.prefix)) next();
    else return routes(request, response, next);
  };
}

function leadTo(path: string): RequestHandler {
  return (_request, response) => response.redirect(302, path);
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * Brings the target of a request into its origin form, `/path?query`, before Express sees it. Express answers a target
 * that it cannot parse (`http://[`) with a page of its own, past every middleware (S50), and a link made from an absolute
 * one would lead wherever the sender likes (S47). The host of an absolute target counts, not `Host` (RFC 9112 §3.2.2).
 */
function toOriginForm(request: IncomingMessage): void {
  const [begin = '', authority] = ABSOLUTE.exec(request.url ?? '') ?? [];
  if (authority === undefined) return;
  const rest = request.url?.slice(begin.length) ?? '';
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
