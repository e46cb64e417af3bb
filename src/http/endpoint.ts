import type { Request, RequestHandler } from 'express';
import { requestIdOf } from './request/request-id.js';
import type { RawReply } from './answer/reply.js';
import { markRoute } from './traffic.js';

/** A request as a machine endpoint sees it: nothing parsed, nothing trusted. */
export interface EndpointRequest {
  readonly method: string;
  /** Path and query as sent; of an absolute target only these. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the peer on the socket, whatever proxies claim. */
  readonly peer: string;
  readonly requestId: string;
}

/**
 * A non-REST address that answers machines in their own format, for example a proxy's key check. It skips the Host
 * check: a proxy may use any name.
 */
export interface Endpoint {
  /** Each is answered with everything below it, in every method and however the rest is spelled (`/%zz` too). */
  readonly paths: readonly string[];
  handle(request: EndpointRequest): Promise<RawReply>;
}

export function endpointHandler(endpoint: Endpoint): RequestHandler {
  return async (request: Request, response) => {
    markRoute(response, request.baseUrl);
    const { method, originalUrl: url, headers } = request;
    const peer = request.socket.remoteAddress ?? '';
    const reply = await endpoint.handle({ method, url, headers, peer, requestId: requestIdOf(response) });
    response.status(reply.status).set(reply.headers).end(reply.body);
  };
}
