/**
 * A small reverse proxy that asks the portal before it lets a request through: what nginx does with `auth_request`, in
 * Node, for the demo. Only a 200 of the verify endpoint opens; when the portal is away or slow, the door stays shut.
 *
 *   node scripts/demo/verify-proxy.mjs --portal http://127.0.0.1:3000 --product exchange-rates \
 *     --upstream http://127.0.0.1:4001 --port 4000
 */
import { Agent, createServer, request as httpRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { allowPage } from './cors.mjs';
import { listen, startedDirectly } from './listen.mjs';

const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);
/** Underscores too: some upstream frameworks read `X_Portal_App` as the same header. */
const SPOOFABLE = /^x[-_](portal|forwarded)[-_]/i;
const IDENTITY = ['x-portal-app', 'x-portal-developer', 'x-portal-key-id', 'x-portal-products', 'x-portal-limit'];
const LIMITS = ['ratelimit-policy', 'ratelimit'];
const REFUSAL_HEADERS = [
  ...['content-type', 'www-authenticate', 'x-auth-reason', 'cache-control', 'retry-after'],
  ...LIMITS,
];
const LARGEST_REFUSAL = 64 * 1024;

class PortalAway extends Error {}

/** Headers without those that concern one connection only, RFC 9110 section 7.6.1. */
function endToEnd(headers) {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)));
}

const pick = (headers, names) =>
  Object.fromEntries(names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]));

/** Sends one request; a reused connection that the other side had just closed is tried once more. */
function send(target, options, attempt = 0) {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(target, options);
    outgoing.on('response', resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${options.timeout} ms`)));
    outgoing.on('error', (error) => {
      if (attempt === 0 && outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(send(target, options, 1));
      else reject(error);
    });
    outgoing.end();
  });
}

async function readAll(stream, most) {
  const chunks = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw new Error(`more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Asks the portal. Answers status, headers and body of the decision; throws PortalAway for anything but 200, 401, 403, 429. */
async function askPortal(request, { verifyUrl, secret, timeout, agent }) {
  const headers = {
    ...pick(request.headers, ['x-api-key', 'authorization']),
    'x-forwarded-method': request.method,
    'x-forwarded-uri': request.url,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': request.socket.remoteAddress ?? '',
    ...(secret ? { 'x-portal-verify-secret': secret } : {}),
  };
  try {
    const signal = AbortSignal.timeout(timeout);
    const decision = await send(verifyUrl, { headers, agent, timeout, signal });
    const body = await readAll(decision, LARGEST_REFUSAL);
    if (![200, 401, 403, 429].includes(decision.statusCode)) throw new Error(`verify answered ${decision.statusCode}`);
    return { status: decision.statusCode, headers: decision.headers, body };
  } catch (cause) {
    throw new PortalAway('the portal did not answer the verify request', { cause });
  }
}

/** The key has done its work here: it must not reach the upstream or its logs. */
function withoutKey(request) {
  const headers = Object.fromEntries(
    Object.entries(endToEnd(request.headers)).filter(([name]) => !SPOOFABLE.test(name) && name !== 'host'),
  );
  if (headers['x-api-key'] === undefined) delete headers.authorization;
  delete headers['x-api-key'];
  const [path, query] = request.url.split(/\?(.*)/s);
  const kept = query?.split('&').filter((pair) => !/^apikey(=|$)/.test(pair)) ?? [];
  return { headers, path: kept.length > 0 ? `${path}?${kept.join('&')}` : path };
}

function refuse(response, status, error, message, headers = {}) {
  if (response.headersSent) return response.destroy();
  // `Connection: close`, because the body of the request may be half read.
  const shared = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Connection: 'close' };
  response.writeHead(status, { ...shared, ...headers });
  return response.end(JSON.stringify({ error, message }));
}

/** Streams the request to the upstream and its answer back, both ways without keeping a body in memory. */
async function forward(request, response, decision, { upstream, timeout, agent }) {
  const { headers, path } = withoutKey(request);
  Object.assign(headers, pick(decision, IDENTITY), {
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': 'http',
  });
  // Without this Node would write the body of a chunked GET or DELETE unframed: a smuggled second request.
  if (request.headers['transfer-encoding']) headers['transfer-encoding'] = 'chunked';
  const { hostname, port } = new URL(upstream);
  const outgoing = httpRequest({ hostname, port, method: request.method, path, headers, agent, timeout });
  const answered = new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    outgoing.on('error', reject);
  });
  response.on('close', () => response.writableFinished || outgoing.destroy());
  // Not `pipeline`: when the upstream breaks off it would cut the client's connection too, and the 502 with it.
  request.pipe(outgoing);
  try {
    const incoming = await answered;
    response.writeHead(incoming.statusCode, { ...endToEnd(incoming.headers), ...pick(decision, LIMITS) });
    await pipeline(incoming, response);
  } catch (error) {
    if (error.code === 'ETIMEDOUT') refuse(response, 504, 'upstream_timeout', 'The API took too long to answer.');
    else refuse(response, 502, 'upstream_unavailable', 'The API cannot be reached.');
  }
}

/**
 * @param {object} options
 * @param {string} options.portal base URL of the portal
 * @param {string} options.product slug of the API product that guards the upstream
 * @param {string} options.upstream base URL of the API; its path is not used, requests keep their own
 * @param {string} [options.verifyPath] `verify.path` of the portal
 * @param {string} [options.secret] `verify.secret` of the portal
 * @param {string[]} [options.pages] origins whose pages may call the API
 * @param {number} [options.verifyTimeout] milliseconds
 * @param {number} [options.upstreamTimeout] milliseconds of silence
 * @returns {import('node:http').Server} not yet listening
 */
export function createVerifyProxy(options) {
  const { portal, product, upstream, secret = '', verifyPath = '/gateway/verify', pages = [] } = options;
  const { verifyTimeout = 2_000, upstreamTimeout = 30_000 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const verifyUrl = new URL(`${verifyPath}/${encodeURIComponent(product)}/429`, portal);
  const server = createServer(async (request, response) => {
    if (allowPage(request, response, pages)) return undefined;
    try {
      const decision = await askPortal(request, { verifyUrl, secret, timeout: verifyTimeout, agent });
      if (response.destroyed) return undefined;
      if (decision.status === 200) {
        return await forward(request, response, decision.headers, {
          upstream,
          timeout: upstreamTimeout,
          agent,
        });
      }
      response.writeHead(decision.status, pick(decision.headers, REFUSAL_HEADERS));
      return response.end(decision.body);
    } catch (error) {
      if (!(error instanceof PortalAway)) console.error(error);
      return refuse(response, 503, 'gateway_unavailable', 'Keys cannot be checked right now.', { 'Retry-After': '1' });
    }
  });
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.on('close', () => agent.destroy());
  return server;
}

if (startedDirectly(import.meta.url)) {
  const text = (fallback) => ({ type: 'string', default: fallback });
  const { values } = parseArgs({
    options: {
      portal: text('http://127.0.0.1:3000'),
      product: text('exchange-rates'),
      upstream: text('http://127.0.0.1:4001'),
      secret: text(''),
      port: text('4000'),
    },
  });
  const { url } = await listen(createVerifyProxy(values), { port: Number(values.port) });
  console.log(`${url} asks ${values.portal} for ${values.product} and forwards to ${values.upstream}`);
}
