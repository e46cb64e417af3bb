import type { RequestHandler, Response } from 'express';

/** A request and its outcome. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the route as declared, including the prefix; `unknown` if none matches. */
  readonly route: string;
  readonly status: number;
  /** From the arrival of the request to the last byte, or until the client left. */
  readonly seconds: number;
}

export type TrafficObserver = (answered: AnsweredRequest) => void;

/** Methods invented by clients would each create a time series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Reports every response to an observer. */
export function traffic(observe: TrafficObserver): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const method = findMethod(request.method) ?? 'OTHER';
    response.once('close', () => {
      const seconds = (performance.now() - began) / 1000;
      observe({ method, route: routeOf(response) ?? 'unknown', status: response.statusCode, seconds });
    });
    next();
  };
}

/** The method, unless the client invented it. */
export function findMethod(method: string): string | undefined {
  return METHODS.has(method) ? method : undefined;
}

/** Notes which declared route answers; a function is called only if somebody observes. */
export function markRoute(response: Response, route: string | (() => string)): void {
  response.locals.route = route;
}

/** The route that answered, as declared; undefined if none matched. */
export function routeOf(response: Response): string | undefined {
  const { route } = response.locals as { route?: string | (() => string) };
  return typeof route === 'function' ? route() : route;
}
