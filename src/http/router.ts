import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import {
  DeclarationError,
  MalformedRequestError,
  PortalError,
  ServiceUnavailableError,
  type Logger,
} from '../kernel/index.js';
import { envelopeOf } from './answer/envelope.js';
import { MethodNotAllowedError, RouteNotFoundError } from './errors.js';
import { write } from './idempotency.js';
import { json, routeHandler, type Pipeline } from './pipeline.js';
import { requestIdOf } from './request/request-id.js';
import { routePath, type Route } from './route.js';
import { shownPath } from './request/shown-path.js';
import { markRoute, routeOf } from './traffic.js';

export interface Prefixes {
  prefix: string;
  adminPrefix: string;
}

/** An Express router of declared routes: their handlers, and 405 with `Allow` for other methods of a known path. */
export function routeRouter<Services>(
  routes: readonly Route<Services>[],
  prefixes: Prefixes,
  pipeline: Pipeline<Services>,
): Router {
  const router = Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  const shapes = new Set<string>();
  const operations = new Set<string>();
  for (const route of routes) {
    const path = routePath(route, prefixes);
    refuseTwice(shapes, `${route.method} ${path.replace(/:\w+/g, ':')}`, `${route.method.toUpperCase()} ${path}`);
    refuseTwice(operations, route.operation, `operation ${route.operation}`);
    methods.set(path, [
      ...(methods.get(path) ?? []),
      ...(route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()]),
    ]);
  }
  // Literal segments before parameters, so that `/apps/create` is not an app's name.
  for (const route of [...routes].sort((a, b) => specificity(a.path) - specificity(b.path))) {
    const path = routePath(route, prefixes);
    const handle = routeHandler(route, pipeline);
    router[route.method](path, (request, response) => {
      markRoute(response, path);
      return handle(request, response);
    });
  }
  for (const [path, allowed] of methods) router.all(path, otherMethods([...allowed, 'OPTIONS']));
  return router;
}

function refuseTwice(seen: Set<string>, key: string, name: string): void {
  if (seen.has(key)) throw new DeclarationError(`${name} is declared twice.`);
  seen.add(key);
}

function specificity(path: string): number {
  return path.split('/').filter((segment) => segment.startsWith(':')).length;
}

function otherMethods(allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    if (request.method !== 'OPTIONS') throw new MethodNotAllowedError(allowed);
    response.status(204).set('Allow', allowed.join(', ')).end();
  };
}

export const routeNotFound: RequestHandler = () => {
  throw new RouteNotFoundError();
};

/** Turns every error below it into the envelope; what is not ours is a 500 that says nothing (S50). */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (cause: unknown, request, response, _next) => {
    const error = asPortalError(cause);
    const path = shownPath(request.path, routeOf(response));
    const about = { code: error.code, request_id: requestIdOf(response), method: request.method, path };
    if (error instanceof ServiceUnavailableError)
      logger.warn({ ...about, detail: error.detail }, 'a request was put off');
    else if (error.status >= 500) logger.error({ ...about, err: cause }, 'a request failed');
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    response.set(error.headers);
    // The rest of an unread body would be taken for the next request.
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
