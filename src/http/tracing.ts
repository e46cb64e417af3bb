import type { Request, RequestHandler, Response } from 'express';
import type { Tracer } from '../core/index.js';
import { requestIdOf } from './request/request-id.js';
import { maskPath } from './request/shown-path.js';
import { findMethod, routeOf } from './traffic.js';

/** Gives every request a span, except probes, which are answered earlier. */
export function traceRequests(tracer: Tracer): RequestHandler {
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
