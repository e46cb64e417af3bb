import type { ConsumerActor } from '../domain/auth/index.js';
import { limitedNetworkOf } from '../domain/auth/index.js';
import { forAgents, viewerOf } from '../domain/catalog/index.js';
import {
  PortalError,
  TooManyAttemptsError,
  UnauthenticatedError,
  type Logger,
  type RequestInfo,
} from '../core/index.js';
import { RawReply, type Endpoint, type EndpointRequest } from '../http/index.js';
import type { PortalServices } from '../domain/services.js';
import type { McpSetting, Reading } from './reading.js';

/** A question of an agent is short; whatever is longer is none. */
const MOST_BYTES = 64 * 1024;
/** Milliseconds for the body to arrive, and for the answer to be made. */
const BODY_MS = 10_000;
const ANSWER_MS = 20_000;
const MINUTE = 60;
const ALLOWED = 'POST, OPTIONS';
const REQUEST_HEADERS =
  'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id';

export interface McpParts {
  readonly path: string;
  /** Path of the pages: `/portal`. */
  readonly pages: string;
  readonly services: PortalServices;
  /** Counts a call of a client. @returns seconds to wait, or null if it may go on */
  readonly count: (key: string, window: number) => Promise<number | null>;
  readonly messages: (section: string, locale: string) => Promise<Readonly<Record<string, string>>>;
  /** What references say of operations beside their addresses. */
  readonly marks: (
    reading: Pick<Reading, 'services' | 'locale'>,
    ...shown: Parameters<McpSetting['marks']>
  ) => ReturnType<McpSetting['marks']>;
  /** Origins whose pages may call, beside the portal's own. */
  readonly origins: readonly string[];
  readonly logger: Logger;
}

/**
 * The MCP endpoint: streamable HTTP without sessions, so that any replica answers any request. Everything is read, nothing
 * is changed; a caller with an access token of the consumer API reads as that developer, everybody else as a visitor.
 */
export function mcpEndpoint(parts: McpParts): Endpoint {
  return { paths: [parts.path], checksHost: true, handle: (request) => answer(parts, request) };
}

async function answer(parts: McpParts, request: EndpointRequest): Promise<RawReply> {
  const origin = originOf(parts, request);
  if (origin === 'foreign') return refusal(403, -32_000, 'This origin may not call the portal.');
  const reply = await reach(parts, request).catch((error: unknown) => failureOf(parts, error, request.requestId));
  return origin === null ? reply : withOrigin(reply, origin);
}

async function reach(parts: McpParts, request: EndpointRequest): Promise<RawReply> {
  const [path = ''] = request.url.split('?', 1);
  if (path.replace(/\/$/, '') !== parts.path) return refusal(404, -32_601, 'There is nothing here.');
  if (request.method === 'OPTIONS') return new RawReply(204, '', { Allow: ALLOWED });
  // There are no sessions and no streams that a GET could open.
  if (request.method !== 'POST') return refusal(405, -32_000, 'Method not allowed.', { Allow: ALLOWED });
  const info = request.client();
  const wait = await parts.count(`mcp:${limitedNetworkOf(info.ip)}`, MINUTE);
  if (wait !== null) throw new TooManyAttemptsError(wait);
  const actor = await identify(parts, request, info);
  const body = await readBody(request);
  if (body === null) return refusal(413, -32_600, `A request has at most ${MOST_BYTES} bytes.`);
  const message = parse(body);
  if (message === undefined) return refusal(400, -32_700, 'The body is not JSON.');
  // The protocol has no batches, and one would pass the limit of calls.
  if (Array.isArray(message)) return refusal(400, -32_600, 'One message at a time.');
  return forAgents(() => answerCall(parts, request, { actor, message, body }));
}

interface Call {
  readonly actor: ConsumerActor | null;
  readonly message: unknown;
  readonly body: string;
}

async function answerCall(
  parts: McpParts,
  request: EndpointRequest,
  { actor, message, body }: Call,
): Promise<RawReply> {
  const { site } = parts.services;
  const locale = localeOf(parts, request, actor);
  const setting: McpSetting = {
    ...{ services: parts.services, viewer: viewerOf(actor), locale },
    start: site.about.baseUrl() + parts.pages,
    pages: parts.pages,
    messages: await parts.messages('agents', locale),
    reference: { ...(await parts.messages('reference', locale)), ...(await parts.messages('written', locale)) },
    marks: (product, index) => parts.marks({ services: parts.services, locale }, product, index),
  };
  // The kit for the protocol is loaded by the first call, not by every start.
  const { serveMcp } = await import('./mcp-server.js');
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (name !== 'authorization' && name !== 'cookie' && typeof value === 'string') headers.set(name, value);
    }
    const address = site.about.baseUrl() + parts.path;
    const asked = new Request(address, { method: 'POST', headers, body, signal: controller.signal });
    const response = await serveMcp(setting, asked, message, (error) => parts.logger.debug({ err: error }, 'MCP'));
    const text = await response.text();
    const type = response.headers.get('content-type');
    return new RawReply(response.status, text, { ...(type && { 'Content-Type': type }), 'Cache-Control': 'no-store' });
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

/** An access token of the consumer API makes the caller that developer. @throws UnauthenticatedError, GateRefusal's error */
async function identify(
  parts: McpParts,
  { headers }: EndpointRequest,
  info: RequestInfo,
): Promise<ConsumerActor | null> {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  const [, token] = /^Bearer ([\w.~+/=-]{1,4096})$/i.exec(String(authorization)) ?? [];
  if (token === undefined) throw new UnauthenticatedError();
  const { guard } = parts.services.auth;
  const actor = (await guard.authenticate('consumer', token, info)) as ConsumerActor;
  const refused = await guard.refusal(actor, { surface: 'api', name: 'mcp', exemptFromGates: false });
  if (refused) throw refused.error;
  return actor;
}

/** S43: a page of another site must not reach a portal that only its reader's network can. Programs send none. */
function originOf({ services, origins }: McpParts, { headers }: EndpointRequest): string | 'foreign' | null {
  const { origin } = headers;
  if (origin === undefined) return null;
  const { protocol, origin: own } = new URL(services.site.about.baseUrl());
  // `Host` is one of ours: a page from there is ours too, whichever of the portal's names it used.
  const asked = `${protocol}//${headers.host}`;
  return typeof origin === 'string' &&
    (origin === own || origin === asked || (origin !== 'null' && origins.includes(origin)))
    ? origin
    : 'foreign';
}

function withOrigin({ status, body, headers }: RawReply, origin: string): RawReply {
  return new RawReply(status, body, {
    ...headers,
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Allow-Methods': 'POST',
    Vary: 'Origin',
  });
}

function localeOf({ services }: McpParts, { url }: EndpointRequest, actor: ConsumerActor | null): string {
  const { locales, defaultLocale } = services.site.about;
  const asked = new URLSearchParams(url.split('?')[1] ?? '').get('locale') ?? actor?.user.locale;
  return locales.find((locale) => locale === asked) ?? defaultLocale;
}

/** @returns null for one that is too large. @throws Error if it does not arrive in time */
async function readBody(request: EndpointRequest): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new LateBody()), BODY_MS).unref();
  });
  late.catch(() => undefined);
  const pieces = request.body()[Symbol.asyncIterator]();
  for (;;) {
    const piece: IteratorResult<Buffer, unknown> = await Promise.race([pieces.next(), late]);
    if (piece.done === true) return Buffer.concat(chunks).toString('utf8');
    size += piece.value.length;
    if (size > MOST_BYTES) return null;
    chunks.push(piece.value);
  }
}

class LateBody extends Error {}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function failureOf({ logger }: McpParts, error: unknown, requestId: string): RawReply {
  if (error instanceof LateBody) return refusal(408, -32_600, 'The request did not arrive in time.');
  if (error instanceof TooManyAttemptsError) return refusal(429, -32_000, 'Too many requests.', error.headers);
  if (error instanceof PortalError && error.status < 500) {
    return refusal(error.status, -32_000, error.message, error.headers);
  }
  logger.error({ err: error, request_id: requestId }, 'a call of MCP failed');
  return refusal(error instanceof PortalError ? error.status : 500, -32_603, 'The portal could not answer.');
}

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): RawReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  return new RawReply(status, body, { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
}
