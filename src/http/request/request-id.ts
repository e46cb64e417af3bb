import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';

const ACCEPTABLE = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives every response an `X-Request-Id` (R39). One sent by a proxy is kept if it is safe to log. */
export const requestId: RequestHandler = (request: Request, response: Response, next) => {
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', id);
  next();
};

export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
