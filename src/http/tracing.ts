import type { Request, RequestHandler, Response } from 'express';
import type { Tracer } from '../kernel/index.js';
import { requestIdOf } from './request/request-id.js';
import { knownMethod, routeOf } from './traffic.js';

/** Parameters of a path that open something, or say who somebody is (S69). */
const SECRET_PARAMETER = /token|code|key|secret|password|mail/i;

/** Gives every request a span; those of probes, which nobody reads, are answered before it. */
export function tracing(tracer: Tracer): RequestHandler {
  return (request, response, next) => {
    const method = knownMethod(request.method) ?? '_OTHER';
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

function answerFacts(request: Request, response: Response, template: string | undefined) {
  const { statusCode: status } = response;
  const path = template === undefined ? undefined : shownPath(template, request.originalUrl.split('?', 1)[0] ?? '');
  return {
    'http.response.status_code': status,
    'portal.request_id': requestIdOf(response),
    ...(template === undefined ? {} : { 'http.route': template }),
    ...(path === undefined ? {} : { 'url.path': path }),
    ...(status >= 500 ? { 'error.type': String(status) } : {}),
  };
}

/** `/api/v1/products/:slug` → `/api/v1/products/{slug}` */
function templateOf(response: Response): string | undefined {
  return routeOf(response)?.replace(/:(\w+)/g, '{$1}');
}

/**
 * The path as sent, without what stands for a secret. A path that belongs to no route may hold anything, also a mangled
 * link of a mail: nothing of it is told.
 */
function shownPath(template: string, path: string): string | undefined {
  const [names, sent] = [template.split('/'), path.split('/')];
  if (template.includes('*') || sent.length < names.length) return undefined;
  return names
    .map((name, index) => {
      if (!name.startsWith('{')) return name;
      return SECRET_PARAMETER.test(name) ? name : sent[index];
    })
    .join('/');
}
