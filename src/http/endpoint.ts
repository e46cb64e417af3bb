import type { Request, RequestHandler } from 'express';
import type { RequestInfo } from '../core/index.js';
import { requestInfo } from './request/client.js';
import { requestIdOf } from './request/request-id.js';
import type { RawReply } from './answer/reply.js';
import { markRoute } from './traffic.js';

/** A request to a machine endpoint: nothing is parsed, nothing trusted, and nothing of the body read unless it is asked for. */
export interface EndpointRequest {
  readonly method: string;
  /** Path and query as sent; the origin of an absolute target is dropped. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the socket's peer, whatever proxies claim. */
  readonly peer: string;
  readonly requestId: string;
  /** The client's address as trusted proxies report it, for limits. */
  client(): RequestInfo;
  /** May be left before its end. @throws Error if the client leaves */
  body(): AsyncIterable<Buffer>;
}

/**
 * A non-REST endpoint that answers machines in their own format, for example a proxy's key check. It skips the Host
 * check: a proxy may use any name.
 */
export interface Endpoint {
  /** Each covers everything below it, in every method and whatever the rest looks like (`/%zz` too). */
  readonly paths: readonly string[];
  /** Not for proxies: a foreign `Host` is refused as it is for pages (S47). */
  readonly checksHost?: true;
  handle(request: EndpointRequest): Promise<RawReply>;
}

export function endpointHandler(endpoint: Endpoint): RequestHandler {
  return async (request: Request, response) => {
    markRoute(response, request.baseUrl);
    const { method, originalUrl: url, headers } = request;
    const peer = request.socket.remoteAddress ?? '';
    const body = (): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false });
    const reply = await endpoint.handle({
      method,
      url,
      headers,
      peer,
      requestId: requestIdOf(response),
      client: () => requestInfo(request, requestIdOf(response)),
      body,
    });
    // Not by Express, which looks at each value again: proxies ask before every call.
    response.statusCode = reply.status;
    for (const name in reply.headers) response.setHeader(name, reply.headers[name] ?? '');
    response.end(reply.body);
  };
}
