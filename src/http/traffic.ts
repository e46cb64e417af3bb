import type { RequestHandler, Response } from 'express';

/** One request and how it was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the route as declared, prefix included; `unknown` when none was found. */
  readonly route: string;
  readonly status: number;
  /** From the request's arrival to the last byte, or to the client's leaving. */
  readonly seconds: number;
}

export type TrafficObserver = (answered: AnsweredRequest) => void;

/** Methods invented by clients would each create a time series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Reports every answer to an observer. */
export function traffic(observe: TrafficObserver): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const method = knownMethod(request.method) ?? 'OTHER';
    response.once('close', () => {
      const seconds = (performance.now() - began) / 1000;
      observe({ method, route: routeOf(response) ?? 'unknown', status: response.statusCode, seconds });
    });
    next();
  };
}

/** The method, unless its client made it up. */
export function knownMethod(method: string): string | undefined {
  return METHODS.has(method) ? method : undefined;
}

/** Says which declared route answers; a function is asked only when somebody watches. */
export function markRoute(response: Response, route: string | (() => string)): void {
  response.locals.route = route;
}

/** The route that answered, as declared; undefined when none was found. */
export function routeOf(response: Response): string | undefined {
  const { route } = response.locals as { route?: string | (() => string) };
  return typeof route === 'function' ? route() : route;
}
