/**
 * The Exchange Rates API of the demo catalog, answering exactly as templates/demo/specs/exchange-rates.yaml says, from
 * memory. It believes the X-Portal-* headers, so it must only be reachable through a gateway that sets them.
 *
 *   node scripts/demo/sample-api.mjs --port 4001
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { ApiFault, ExchangeDesk, invalid } from './exchange-desk.mjs';
import { listen, startedDirectly } from './listen.mjs';

/** The path of the servers in the document. */
export const BASE_PATH = '/rates/v1';
const LARGEST_BODY = 16 * 1024;

const ROUTES = [
  ['GET', '/currencies', ({ desk }) => page(desk.currencies())],
  ['GET', '/currencies/:code', ({ desk, params }) => desk.currency(params.code)],
  ['GET', '/rates', ({ desk, query }) => page(desk.rates(...ratesQuery(query)))],
  ['GET', '/rates/:pair', ({ desk, params }) => desk.rate(params.pair)],
  [
    'GET',
    '/rates/:pair/history',
    ({ desk, params, query }) => desk.history(params.pair, integer(query, 'days', 30, 90)),
  ],
  ['POST', '/quotes', async ({ desk, owner, readBody }) => [201, desk.ask(owner, newQuote(await readBody()))]],
  ['GET', '/quotes', ({ desk, owner, query }) => desk.list(owner, listQuery(query))],
  ['GET', '/quotes/:quoteId', ({ desk, owner, params }) => desk.find(owner, params.quoteId)],
  ['DELETE', '/quotes/:quoteId', ({ desk, owner, params }) => desk.cancel(owner, params.quoteId)],
  ['POST', '/quotes/:quoteId/accept', ({ desk, owner, params }) => desk.accept(owner, params.quoteId)],
  ['GET', '/whoami', ({ caller }) => caller],
].map(([method, path, handle]) => ({ method, handle, pattern: patternOf(path) }));

function patternOf(path) {
  return new RegExp(`^${BASE_PATH}${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

const page = (data) => ({ data, next_cursor: '' });

function integer(query, name, fallback, most) {
  const text = query.get(name) ?? String(fallback);
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw invalid({ [name]: [`Must be a whole number from 1 to ${most}.`] });
  return value;
}

function ratesQuery(query) {
  return [query.get('base') ?? 'EUR', query.get('symbols')?.split(',')];
}

function listQuery(query) {
  const status = query.get('status') ?? undefined;
  if (status && !['open', 'accepted', 'cancelled', 'expired'].includes(status)) {
    throw invalid({ status: ['Must be one of open, accepted, cancelled, expired.'] });
  }
  return { status, limit: integer(query, 'limit', 20, 100), cursor: query.get('cursor') ?? undefined };
}

function newQuote(body) {
  const fields = {};
  for (const name of ['sell_currency', 'buy_currency']) {
    if (!/^[A-Z]{3}$/.test(String(body[name]))) fields[name] = ['Must be a currency code such as EUR.'];
  }
  const { sell_amount: amount, reference } = body;
  if (typeof amount !== 'string' || !/^\d{1,12}(\.\d{1,6})?$/.test(amount)) {
    fields.sell_amount = ['Must be a decimal number as text, such as "250.00".'];
  }
  if (reference !== undefined && (typeof reference !== 'string' || reference.length > 64)) {
    fields.reference = ['Must be text of at most 64 characters.'];
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return body;
}

async function readJson(request) {
  const malformed = () =>
    new ApiFault(400, { error: 'malformed_request', message: 'The body is not a JSON object of at most 16 kB.' });
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    // Read on past the limit without keeping it: leaving the loop early would cut the connection before the answer.
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  if (size > LARGEST_BODY) throw malformed();
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body;
  } catch {
    throw malformed();
  }
  throw malformed();
}

/** Who calls, as the gateway says; nobody in particular where it lets calls pass without a key. Without its headers somebody went around the gateway. */
function callerOf({ headers }) {
  const app = headers['x-portal-app'];
  if (app === undefined)
    throw new ApiFault(401, { error: 'missing_key', message: 'Call this API through its gateway.' });
  return {
    app,
    developer: headers['x-portal-developer'] ?? '',
    key_id: headers['x-portal-key-id'] ?? '',
    products: (headers['x-portal-products'] ?? '').split(/[\s,]+/).filter(Boolean),
  };
}

/** App names are unique per developer only, so quotes are kept under both. */
function ownerOf(caller) {
  return `${caller.developer}/${caller.app}`;
}

async function answer(desk, request) {
  const caller = callerOf(request);
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://sample.invalid');
  for (const { method, pattern, handle } of ROUTES) {
    const match = method === request.method ? pattern.exec(pathname) : null;
    if (!match) continue;
    const params = match.groups ?? {};
    const context = { desk, query, params, caller, owner: ownerOf(caller), readBody: () => readJson(request) };
    const result = await handle(context);
    return Array.isArray(result) ? result : [200, result];
  }
  throw new ApiFault(404, { error: 'not_found', message: 'There is no such operation.' });
}

/**
 * @param {{ now?: () => number }} [options] the clock, in milliseconds since 1970
 * @returns {import('node:http').Server} not yet listening
 */
export function createSampleApi({ now = Date.now } = {}) {
  const desk = new ExchangeDesk(now);
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(desk, request).catch((error) => {
      if (error instanceof ApiFault) return [error.status, error.body];
      console.error(error);
      return [500, { error: 'internal', message: 'Something went wrong on our side.' }];
    });
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(body));
  });
  server.headersTimeout = 15_000;
  server.requestTimeout = 30_000;
  return server;
}

if (startedDirectly(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4001' } } });
  const { url } = await listen(createSampleApi(), { port: Number(values.port) });
  console.log(`Exchange Rates API on ${url}${BASE_PATH}, from memory`);
}
