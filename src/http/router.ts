import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import {
  DeclarationError,
  MalformedRequestError,
  PortalError,
  ServiceUnavailableError,
  type Logger,
} from '../core/index.js';
import { json, write } from './answer/answer.js';
import { envelopeOf } from './answer/envelope.js';
import { MethodNotAllowedError, RouteNotFoundError } from './errors.js';
import { routeHandler, type Pipeline } from './pipeline.js';
import { requestIdOf } from './request/request-id.js';
import { routePath, type Route } from './route.js';
import { RouteTable } from './route-table.js';
import { maskPath } from './request/shown-path.js';
import { markRoute, routeOf } from './traffic.js';

export interface Prefixes {
  prefix: string;
  adminPrefix: string;
}

/**
 * Routes requests to the declared routes, with 405 and `Allow` for other methods of a known path; anything else is
 * passed on.
 */
export function routeRouter<Services>(
  routes: readonly Route<Services>[],
  prefixes: Prefixes,
  pipeline: Pipeline<Services>,
): RequestHandler {
  const table = new RouteTable<{ path: string; handle: ReturnType<typeof routeHandler> }>();
  const operations = new Set<string>();
  for (const route of routes) {
    const path = routePath(route, prefixes);
    if (operations.has(route.operation)) throw new DeclarationError(`operation ${route.operation} is declared twice.`);
    operations.add(route.operation);
    if (!table.add(route.method, path, { path, handle: routeHandler(route, pipeline) }))
      throw new DeclarationError(`${route.method.toUpperCase()} ${path} is declared twice.`);
  }
  return (request, response, next) => {
    const found = table.find(request.method, request.path);
    if (found.kind === 'nothing') return next();
    if (found.kind === 'other-method') return refuseMethod(request, response, found.methods);
    request.params = found.params;
    markRoute(response, found.target.path);
    return found.target.handle(request, response);
  };
}

function refuseMethod(request: Request, response: Response, methods: readonly string[]): void {
  const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  allowed.push('OPTIONS');
  if (request.method !== 'OPTIONS') throw new MethodNotAllowedError(allowed);
  response.status(204).set('Allow', allowed.join(', ')).end();
}

export const routeNotFound: RequestHandler = () => {
  throw new RouteNotFoundError();
};

/** Turns every error into the envelope; one that is not ours is a 500 without details (S50). */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (cause: unknown, request, response, _next) => {
    const error = asPortalError(cause);
    const path = maskPath(request.path, routeOf(response));
    const about = { code: error.code, request_id: requestIdOf(response), method: request.method, path };
    if (error instanceof ServiceUnavailableError)
      logger.warn({ ...about, detail: error.detail }, 'a request was put off');
    else if (error.status >= 500) logger.error({ ...about, err: cause }, 'a request failed');
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    response.set(error.headers);
    // The rest of an unread body would be parsed as the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    write(response, json(error.status, envelopeOf(error)));
  };
}

function asPortalError(error: unknown): PortalError {
  if (error instanceof PortalError) return error;
  // Express refuses a path it cannot decode (`/%zz`) with a URIError of status 400.
  if (error instanceof URIError) return new MalformedRequestError({ cause: error });
  return new PortalError({ cause: error });
}
