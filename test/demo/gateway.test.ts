import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { portal } from '../support/portal-command.js';
import { catalog, loadDocument, operationsOf, repositoryFile, resolve, type Json, type JsonObject } from './support.js';

interface Listening {
  url: string;
  port: number;
  close(): Promise<void>;
}

const load = async <T>(name: string): Promise<T> => (await import(repositoryFile(`scripts/demo/${name}`).href)) as T;
const { listen } = await load<{ listen(server: Server, options?: { port?: number }): Promise<Listening> }>(
  'listen.mjs',
);
const { createSampleApi } = await load<{ createSampleApi(options: { now(): number }): Server }>('sample-api.mjs');
const { createVerifyProxy } = await load<{ createVerifyProxy(options: Record<string, unknown>): Server }>(
  'verify-proxy.mjs',
);

const product = catalog.products.find((candidate) => candidate.slug === 'exchange-rates');
if (!product) throw new Error('the demo catalog has no exchange-rates');
const document = loadDocument(product);
const operations = operationsOf(document);

const KEY = 'a-key-that-opens';
const IDENTITY = {
  'X-Portal-App': 'checkout',
  'X-Portal-Developer': 'dev-1',
  'X-Portal-Key-Id': '7',
  'X-Portal-Products': 'exchange-rates,payments',
};

/** What the fake portal answers to the next verify requests, and what it was asked. */
interface Verify {
  asked: { url: string; headers: IncomingHttpHeaders }[];
  status: number | 'silence' | undefined;
  /** Of its answers, on top of those of their status. */
  headers: Record<string, string>;
}

function fakePortal(verify: Verify): Server {
  return createServer((request, response) => {
    verify.asked.push({ url: request.url ?? '', headers: request.headers });
    if (verify.status === 'silence') return;
    const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace(/^Bearer /, '');
    const status = verify.status ?? (key === undefined ? 401 : key === KEY ? 200 : 403);
    const reason = status === 401 ? 'missing_key' : 'unknown_key';
    const identity = status === 200 ? IDENTITY : { 'X-Auth-Reason': reason };
    const challenge = status === 401 ? { 'WWW-Authenticate': 'ApiKey realm="api"' } : {};
    response.writeHead(status, { 'Content-Type': 'application/json', ...identity, ...challenge, ...verify.headers });
    response.end(status === 200 ? '{}' : JSON.stringify({ error: reason }));
  });
}

let verify: Verify;
let clock: { now: number };
let started: Listening[];

async function start(server: Server): Promise<Listening> {
  const listening = await listen(server);
  started.push(listening);
  return listening;
}

/** A proxy in front of `upstream`, asking a fake portal. */
async function guard(upstream: Server, options: Record<string, unknown> = {}): Promise<Listening> {
  const portal = await start(fakePortal(verify));
  const { url } = await start(upstream);
  return start(createVerifyProxy({ portal: portal.url, product: 'exchange-rates', upstream: url, ...options }));
}

const echo = () =>
  createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close', 'X-From': 'upstream' });
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });

beforeEach(() => {
  verify = { asked: [], status: undefined, headers: {} };
  clock = { now: Date.parse('2026-03-02T09:30:12.000Z') };
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((listening) => listening.close()));
});

describe('the sample API behind the proxy', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...document });

  /** Calls an operation and checks that the document names the status and describes the body. */
  async function call(
    base: string,
    method: string,
    path: string,
    body?: Json,
  ): Promise<{ status: number; body: JsonObject }> {
    const response = await fetch(`${base}/rates/v1${path}`, {
      method,
      headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as JsonObject;
    const operation = operations.find(
      (candidate) =>
        candidate.method === method.toLowerCase() &&
        new RegExp(`^${candidate.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
    );
    const described = (operation?.operation.responses as JsonObject)[String(response.status)];
    expect({ path, status: response.status, described: described !== undefined }).toMatchObject({ described: true });
    const content = resolve(document, described ?? {}).content as JsonObject;
    const schema = (content['application/json'] as JsonObject).schema as JsonObject;
    const validate = ajv.compile({ $ref: `document${schema.$ref as string}` });
    validate(answer);
    expect({ path, errors: validate.errors ?? [] }).toEqual({ path, errors: [] });
    return { status: response.status, body: answer };
  }

  const api = () => guard(createSampleApi({ now: () => clock.now }));

  it('is taken through the workflows of the demo by portal workflow:run, with the key in a variable', async () => {
    const file = repositoryFile('templates/demo/specs/exchange-rates.arazzo.yaml').pathname;
    const { url } = await api();
    const run = (key: string, ...more: string[]) => {
      const args = [file, ...more, '--server', `${url}/rates/v1`, '--key-env', 'RATES_KEY'];
      return portal(['workflow:run', ...args], { cwd: tmpdir(), env: { RATES_KEY: key } });
    };
    const good = await run(KEY);
    expect([good.exitCode, good.stdout]).toEqual([0, expect.stringContaining('5 steps, 0 failed.')]);
    const bad = await run('no-such-key', 'hold-and-exchange', '--input', 'sell=GBP');
    expect([bad.exitCode, bad.stdout]).toEqual([
      1,
      expect.stringMatching(/✗ look {2}GET \/rates\/\{pair\} {2}403\n {6}expected \$statusCode == 200/),
    ]);
  });

  it('answers every reading operation as its document says', async () => {
    const { url } = await api();
    const currencies = await call(url, 'GET', '/currencies');
    expect(currencies.body.data).toHaveLength(10);
    expect((await call(url, 'GET', '/currencies/JPY')).body).toMatchObject({ decimals: 0 });
    expect((await call(url, 'GET', '/currencies/XXX')).status).toBe(404);
    expect((await call(url, 'GET', '/rates')).body.data).toHaveLength(9);
    const two = await call(url, 'GET', '/rates?base=EUR&symbols=USD,GBP');
    expect(two.body.data).toMatchObject([{ pair: 'EUR-GBP' }, { pair: 'EUR-USD', rate: '1.084500' }]);
    expect((await call(url, 'GET', '/rates?base=ABC')).status).toBe(422);
    expect((await call(url, 'GET', '/rates/EUR-USD')).body).toMatchObject({ as_of: '2026-03-02T09:30:00.000Z' });
    expect((await call(url, 'GET', '/rates/EUR-EUR')).status).toBe(404);
    const history = await call(url, 'GET', '/rates/EUR-USD/history?days=2');
    expect(history.body.data).toMatchObject([{ date: '2026-02-28' }, { date: '2026-03-01' }]);
    expect((await call(url, 'GET', '/rates/EUR-USD/history?days=91')).status).toBe(422);
  });

  it('tells who is calling from the headers of the gateway', async () => {
    const { url } = await api();
    const { body } = await call(url, 'GET', '/whoami');
    expect(body).toEqual({
      app: 'checkout',
      developer: 'dev-1',
      key_id: '7',
      products: ['exchange-rates', 'payments'],
    });
  });

  it('answers calls without a key where the portal lets them pass', async () => {
    verify.status = 200;
    verify.headers = { 'X-Portal-App': '', 'X-Portal-Developer': '', 'X-Portal-Key-Id': '' };
    const { url } = await api();
    const answer = await fetch(`${url}/rates/v1/rates/EUR-USD`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { pair: 'EUR-USD' }]);
    expect(await (await fetch(`${url}/rates/v1/whoami`)).json()).toMatchObject({ app: '', developer: '' });
  });

  it('holds a quote for two minutes, to the cent, and accepts it once', async () => {
    const { url } = await api();
    const asked = { sell_currency: 'EUR', buy_currency: 'USD', sell_amount: '250.00', reference: 'order-1042' };
    const { status, body: quote } = await call(url, 'POST', '/quotes', asked);
    expect({ status, ...quote }).toMatchObject({ status: 'open', buy_amount: '271.13', sell_amount: '250.00' });
    expect(quote.expires_at).toBe('2026-03-02T09:32:12.000Z');
    const other = (await call(url, 'POST', '/quotes', { ...asked, sell_amount: '0.005', sell_currency: 'KWD' })).body;
    expect(other.buy_amount).toBe('0.02');
    const first = await call(url, 'GET', '/quotes?limit=1');
    expect(first.body).toMatchObject({ data: [{ id: other.id }], next_cursor: other.id });
    expect((await call(url, 'GET', `/quotes?cursor=${String(other.id)}`)).body).toMatchObject({
      data: [{ id: quote.id }],
      next_cursor: '',
    });
    expect((await call(url, 'POST', `/quotes/${String(quote.id)}/accept`)).body.status).toBe('accepted');
    expect((await call(url, 'POST', `/quotes/${String(quote.id)}/accept`)).status).toBe(200);
    expect((await call(url, 'DELETE', `/quotes/${String(quote.id)}`)).status).toBe(409);
    clock.now += 120_000;
    expect((await call(url, 'GET', `/quotes/${String(other.id)}`)).body.status).toBe('expired');
    expect((await call(url, 'POST', `/quotes/${String(other.id)}/accept`)).body.message).toBe(
      'This quote is expired. Ask for a new one.',
    );
    expect((await call(url, 'GET', '/quotes?status=accepted')).body.data).toHaveLength(1);
  });

  it('lets go of a quote and refuses one that cannot be held', async () => {
    const { url } = await api();
    const asked = { sell_currency: 'EUR', buy_currency: 'JPY', sell_amount: '10' };
    const { body: quote } = await call(url, 'POST', '/quotes', asked);
    expect(quote).toMatchObject({ sell_amount: '10.00', buy_amount: '1614', reference: '' });
    expect((await call(url, 'DELETE', `/quotes/${String(quote.id)}`)).body.status).toBe('cancelled');
    const refused = async (body: Json) => (await call(url, 'POST', '/quotes', body)).body;
    expect(await refused({ ...asked, sell_amount: '1.005' })).toMatchObject({
      fields: { sell_amount: ['Must have at most 2 decimals for EUR.'] },
    });
    expect(await refused({ ...asked, sell_amount: '0.00' })).toMatchObject({
      fields: { sell_amount: ['Must be greater than zero.'] },
    });
    expect(await refused({ ...asked, sell_amount: 10 })).toMatchObject({ error: 'validation_failed' });
    expect(await refused({ ...asked, buy_currency: 'EUR' })).toMatchObject({
      fields: { buy_currency: expect.anything() },
    });
    expect(await refused('{"broken')).toMatchObject({ error: 'malformed_request' });
    expect(await refused(`"${'x'.repeat(20_000)}"`)).toMatchObject({ error: 'malformed_request' });
    expect((await call(url, 'GET', '/quotes/qt_000000000000')).status).toBe(404);
  });

  it('keeps the quotes of one app from another and answers nobody who came around the gateway', async () => {
    const { url } = await start(createSampleApi({ now: () => clock.now }));
    const as = (app: string) => ({ 'X-Portal-App': app, 'X-Portal-Developer': 'dev-1' });
    const body = JSON.stringify({ sell_currency: 'EUR', buy_currency: 'USD', sell_amount: '1.00' });
    const made = await fetch(`${url}/rates/v1/quotes`, { method: 'POST', headers: as('one'), body });
    const { id } = (await made.json()) as { id: string };
    expect((await fetch(`${url}/rates/v1/quotes/${id}`, { headers: as('one') })).status).toBe(200);
    expect((await fetch(`${url}/rates/v1/quotes/${id}`, { headers: as('two') })).status).toBe(404);
    expect((await fetch(`${url}/rates/v1/whoami`)).status).toBe(401);
    expect((await fetch(`${url}/elsewhere`, { headers: as('one') })).status).toBe(404);
  });
});

describe('the verify proxy', () => {
  it('hands a refusal of the portal to the client as it is', async () => {
    const { url } = await guard(echo());
    const without = await fetch(`${url}/rates/v1/whoami`);
    expect([without.status, await without.json()]).toEqual([401, { error: 'missing_key' }]);
    expect(without.headers.get('www-authenticate')).toBe('ApiKey realm="api"');
    const wrong = await fetch(`${url}/rates/v1/whoami`, { headers: { 'X-API-Key': 'wrong' } });
    expect([wrong.status, await wrong.json()]).toEqual([403, { error: 'unknown_key' }]);
    expect(wrong.headers.get('x-auth-reason')).toBe('unknown_key');
  });

  it('lets the named pages call the API, refusals included, and no others', async () => {
    const page = 'http://127.0.0.1:3000';
    const { url } = await guard(echo(), { pages: [page] });
    const preflight = (origin: string) =>
      fetch(`${url}/rates/v1/rates`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'x-api-key',
        },
      });
    const allowed = await preflight(page);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('X-API-Key');
    expect(verify.asked).toEqual([]);
    const other = await preflight('http://evil.example');
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([401, null]);
    for (const [key, status] of [
      [KEY, 200],
      ['wrong', 403],
    ] as const) {
      const answer = await fetch(`${url}/rates/v1/rates`, { headers: { Origin: page, 'X-API-Key': key } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, page]);
    }
  });

  it('asks for the product and says what the client wants, whatever the client claims', async () => {
    const { url } = await guard(echo(), { secret: 's3cret' });
    const headers = { 'X-API-Key': KEY, 'X-Forwarded-Uri': '/forged', 'X-Forwarded-Method': 'HEAD' };
    await fetch(`${url}/rates/v1/a%2Fb?q=1`, { method: 'DELETE', headers });
    expect(verify.asked).toHaveLength(1);
    expect(verify.asked[0]?.url).toBe('/gateway/verify/exchange-rates/429');
    expect(verify.asked[0]?.headers).toMatchObject({
      'x-forwarded-method': 'DELETE',
      'x-forwarded-uri': '/rates/v1/a%2Fb?q=1',
      'x-forwarded-host': url.replace('http://', ''),
      'x-api-key': KEY,
      'x-portal-verify-secret': 's3cret',
    });
  });

  it('tells the upstream who calls, drops what the client made up, and keeps the key to itself', async () => {
    const { url } = await guard(echo());
    const forged = {
      'X-Portal-App': 'forged',
      X_Portal_App: 'forged',
      'X-Portal-Role': 'admin',
      Accept: 'text/x-mine',
    };
    const response = await fetch(`${url}/rates/v1/x?apikey=${KEY}&b=%20c`, {
      headers: { ...forged, 'X-API-Key': KEY },
    });
    const seen = (await response.json()) as { url: string; headers: Record<string, string> };
    expect(response.headers.get('x-from')).toBe('upstream');
    expect(seen.url).toBe('/rates/v1/x?b=%20c');
    expect(seen.headers).toMatchObject({ 'x-portal-app': 'checkout', 'x-portal-key-id': '7', accept: 'text/x-mine' });
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`forged|admin|${KEY}`));
    const bearer = await fetch(`${url}/`, { headers: { Authorization: `Bearer ${KEY}` } });
    expect(JSON.stringify(await bearer.json())).not.toContain(KEY);
  });

  it.each([204, 301, 404, 500, 503, 'silence'] as const)('stays shut when verify answers %s', async (status) => {
    verify.status = status;
    const { url } = await guard(echo(), { verifyTimeout: 150 });
    const response = await fetch(`${url}/`, { headers: { 'X-API-Key': KEY } });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ error: 'gateway_unavailable' });
  });

  it('hands on what is left of a plan, and a refusal for limits as it is', async () => {
    const { url } = await guard(echo());
    const ask = () => fetch(`${url}/`, { headers: { 'X-API-Key': KEY } });
    verify.headers = { RateLimit: '"daily";r=1;t=60', 'X-Portal-Limit': 'within' };
    const allowed = await ask();
    expect([allowed.status, allowed.headers.get('ratelimit')]).toEqual([200, '"daily";r=1;t=60']);
    verify.status = 429;
    verify.headers = { RateLimit: '"daily";r=0;t=60', 'Retry-After': '60', 'Content-Type': 'application/problem+json' };
    const refused = await ask();
    const told = ['ratelimit', 'retry-after', 'content-type'].map((name) => refused.headers.get(name));
    expect([refused.status, ...told]).toEqual([429, '"daily";r=0;t=60', '60', 'application/problem+json']);
  });

  it('stays shut when the portal is away', async () => {
    const gone = await listen(fakePortal(verify));
    await gone.close();
    const { url } = await start(createVerifyProxy({ portal: gone.url, product: 'exchange-rates', upstream: gone.url }));
    expect((await fetch(url, { headers: { 'X-API-Key': KEY } })).status).toBe(503);
  });

  it('says so when the upstream is away, silent or gone in the middle', async () => {
    const { url: silent } = await guard(createServer(), { upstreamTimeout: 150 });
    expect((await fetch(silent, { headers: { 'X-API-Key': KEY } })).status).toBe(504);
    const { url: dropping } = await guard(createServer((request) => request.socket.destroy()));
    const headers = { 'X-API-Key': KEY };
    const lost = await fetch(dropping, { method: 'POST', headers, body: 'x'.repeat(500_000) });
    expect([lost.status, await lost.json()]).toMatchObject([502, { error: 'upstream_unavailable' }]);
    const halfway = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const { url: broken } = await guard(halfway);
    await expect(fetch(broken, { headers }).then((response) => response.text())).rejects.toThrow();
  });

  it('streams a body to the upstream before the client has finished it, and back', async () => {
    const upstream = createServer((request, response) => {
      response.writeHead(200);
      request.pipe(response);
    });
    const { url } = await guard(upstream);
    const outgoing = httpRequest(url, {
      method: 'DELETE',
      headers: { 'X-API-Key': KEY, 'Transfer-Encoding': 'chunked' },
    });
    outgoing.write('first');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const [chunk] = (await once(incoming, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('first');
    incoming.resume();
    outgoing.end('second');
    await once(incoming, 'end');
  });

  it('forwards only one request when a chunked body of a GET looks like a second', async () => {
    const urls: (string | undefined)[] = [];
    const upstream = createServer((request, response) => {
      urls.push(request.url);
      request.resume().on('end', () => response.end('ok'));
    });
    const { port } = await guard(upstream);
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET /seen HTTP/1.1\r\nHost: x\r\nX-API-Key: ${KEY}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
        `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    );
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(urls).toEqual(['/seen']);
  });
});
