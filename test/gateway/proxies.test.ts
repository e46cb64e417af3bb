import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Developer } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createPlan, createProduct } from '../support/factories.js';
import { startCaddy, startHaproxy, startNginx, type PrivateService } from '../support/services.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** The API behind the proxy: remembers the headers of the calls that reached it. */
interface Upstream {
  server: Server;
  port: number;
  reached: IncomingHttpHeaders[];
}

async function startUpstream(): Promise<Upstream> {
  const reached: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    reached.push(request.headers);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"paid":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, reached };
}

const SECRET = 'the-verify-secret-of-the-proxies-of-this-test';

const usage = readFileSync(fileURLToPath(new URL('../../../docs/usage.md', import.meta.url)), 'utf8');
const guide = readFileSync(fileURLToPath(new URL('../../../docs/gateways.md', import.meta.url)), 'utf8');

/** A snippet of docs/gateways.md as it stands there, but for addresses and the secret. */
function snippet(language: string, from: Addresses, index = 0): string {
  const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language);
  const text = blocks[index]?.[2];
  if (text === undefined) throw new Error(`docs/gateways.md has no ${language} number ${index}`);
  return text
    .replaceAll('127.0.0.1:8000', `127.0.0.1:${from.port}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${from.portal}`)
    .replaceAll('127.0.0.1:9000', `127.0.0.1:${from.upstream}`)
    .replaceAll('YOUR-VERIFY-SECRET', SECRET);
}

interface Addresses {
  port: number;
  portal: number;
  upstream: number;
}

const proxies = {
  nginx: (portal: number, upstream: number) => startNginx(({ port }) => snippet('nginx', { port, portal, upstream })),
  caddy: (portal: number, upstream: number) =>
    startCaddy(({ port }) => snippet('caddyfile', { port, portal, upstream })),
  haproxy: (portal: number, upstream: number) =>
    startHaproxy(({ port, directory }) => {
      const script = join(directory, 'portal-verify.lua');
      writeFileSync(script, snippet('lua', { port, portal, upstream }));
      return snippet('haproxy', { port, portal, upstream }).replace('portal-verify.lua', script);
    }),
} as const;

const cachingNginx = (portal: number, upstream: number) =>
  startNginx(({ port, directory }) => {
    const addresses = { port, portal, upstream };
    const cached = snippet('nginx', addresses).replace('internal;', `internal;\n${snippet('nginx', addresses, 1)}`);
    return `proxy_cache_path ${join(directory, 'cache')} keys_zone=portal:1m;\n${cached}`;
  });

/** The access log of docs/usage.md, in the snippet of nginx. */
const loggingNginx = (portal: number, upstream: number) =>
  startNginx(({ port, directory }) => {
    const [format = '', line = ''] = [...usage.matchAll(/^```nginx\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    const file = line.replace('/var/log/nginx/portal.json', join(directory, 'portal.json'));
    return format + snippet('nginx', { port, portal, upstream }).replace('location / {', `location / {\n${file}`);
  });

let test: TestPortal;
let ada: Developer;
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({ config: { verify: { secret: SECRET } } });
  await createPlan(test, { slug: 'open' });
  await createPlan(test, { slug: 'thrice' }, { quotaPerDay: 3 });
  await createPlan(test, { slug: 'anonymous', isKeyless: true }, { quotaPerDay: 2 });
  await createProduct(test, { slug: 'payments', plans: ['open', 'thrice'] });
  await createProduct(test, { slug: 'geo' });
  ada = await Developer.create(test);
});
afterAll(() => test.stop());

for (const name of ['nginx', 'caddy', 'haproxy'] as const) {
  describeWith(name, `${name} asking the verify endpoint`, () => {
    let upstream: Upstream;
    let proxy: PrivateService;
    let key: string;
    let credential: string;
    beforeAll(async () => {
      upstream = await startUpstream();
      proxy = await proxies[name](test.client.port, upstream.port);
    });
    beforeEach(async () => {
      count += 1;
      const app = await ada.createApp(`shop-${count}`, ['payments']);
      key = app.key;
      credential = `/shop-${count}/credentials/${app.id}`;
      upstream.reached.length = 0;
    });
    afterAll(async () => {
      await proxy.stop();
      upstream.server.closeAllConnections();
      await new Promise<void>((resolve) => upstream.server.close(() => resolve()));
    });

    const call = (headers: Record<string, string> = {}, path = '/v1/charge?amount=1', method = 'GET') =>
      fetch(`http://127.0.0.1:${proxy.port}${path}`, { method, headers });
    const status = async (headers?: Record<string, string>, path?: string, method?: string) =>
      (await call(headers, path, method)).status;
    const denial = async (headers?: Record<string, string>, path?: string) => {
      const answer = await call(headers, path);
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };

    it('lets no call through without a key, and says what it wants', async () => {
      const answer = await call();
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="api"']);
      expect(await denial()).toEqual([401, 'missing_key']);
      expect(upstream.reached).toEqual([]);
    });

    it('lets a fresh key through in a header, as bearer and in the query, in every method', async () => {
      expect(await status({ 'X-API-Key': key })).toBe(200);
      expect(await status({ Authorization: `Bearer ${key}` }, '/v1/charge', 'DELETE')).toBe(200);
      expect(await status({}, `/v1/charge?a=b&apikey=${key}`, 'POST')).toBe(200);
      expect(upstream.reached).toHaveLength(3);
      expect(await denial({}, '/v1/charge?apikey=pk_00000000000000000000000000000000')).toEqual([403, 'unknown_key']);
    });

    it('tells the API who called, whatever the client claims', async () => {
      const forged = {
        'X-Portal-App': 'forged',
        'X-Portal-Developer': '1',
        'X-Portal-Key-Id': '0',
        'X-Portal-Products': 'everything',
      };
      expect(await status({ 'X-API-Key': key, ...forged })).toBe(200);
      expect(upstream.reached[0]).toMatchObject({
        'x-portal-app': `shop-${count}`,
        'x-portal-developer': String(ada.user.id),
        'x-portal-key-id': credential.split('/').at(-1),
        'x-portal-products': 'payments',
      });
    });

    it('is not fooled by a forged X-Forwarded-Uri or method', async () => {
      const forged = { 'X-Forwarded-Uri': `/?apikey=${key}`, 'X-Forwarded-Method': 'OPTIONS' };
      expect(await denial(forged)).toEqual([401, 'missing_key']);
    });

    it('closes on the next request after a revocation of key, product or app, and opens again', async () => {
      const headers = { 'X-API-Key': key };
      for (const [path, reason] of [
        [credential, 'revoked_key'],
        [`${credential}/products/payments`, 'product_revoked'],
        [`/shop-${count}`, 'revoked_app'],
      ] as const) {
        await ada.post(`${path}/revoke`);
        expect(await denial(headers)).toEqual([403, reason]);
        await ada.post(`${path}/approve`);
        expect(await status(headers)).toBe(200);
      }
    });

    it('does not let a key through to a product that it was not given', async () => {
      const { consumer_key: other } = (await ada.post(`/shop-${count}/credentials`, { products: ['geo'] })).json.data;
      expect(await denial({ 'X-API-Key': other })).toEqual([403, 'product_not_granted']);
    });

    it('tells what is left of a plan, and turns what is beyond it into 429 with a problem', async () => {
      const { key: limited } = await ada.createApp(`limited-${name}`, [{ slug: 'payments', plan: 'thrice' }]);
      const headers = { 'X-API-Key': limited, RateLimit: '"forged";r=9', 'X-Portal-Limit': 'forged' };
      const answers = [await call(headers), await call(headers), await call(headers), await call(headers)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      const left = answers.map((answer) => answer.headers.get('ratelimit')?.replace(/t=\d+/, 't=…'));
      expect(left).toEqual([2, 1, 0, 0].map((calls) => `"daily";r=${calls};t=…`));
      expect(upstream.reached.map((reached) => reached['x-portal-limit'])).toEqual(['within', 'within', 'within']);
      const [refused] = answers.slice(-1) as [Response];
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      expect(refused.headers.get('ratelimit-policy')).toBe('"daily";q=3;w=86400');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'The calls that the plan allows are used up.',
        ...{ status: 429, error: 'quota_exceeded', 'violated-policies': ['daily'] },
      });
      // A key without limits is told of none.
      expect((await call({ 'X-API-Key': key })).headers.get('ratelimit')).toBeNull();
    });

    it('tells clients what ends, by operation, and refuses it from its sunset on', async () => {
      const { products, deprecations } = test.portal.services.catalog;
      const product = await products.findForAdmin('payments');
      const links = { guideUrl: 'https://a.example/guide', replacementUrl: 'https://a.example/v3' };
      const sunsetAt = new Date(test.clock.now().getTime() + 91 * 86_400_000);
      const part = { method: 'GET', path: '/v1/charge' } as const;
      const drafted = await deprecations.create(product, { ...part, ...links, sunsetAt });
      const announced = await deprecations.announce(drafted, false);
      test.clock.advance(2);
      const forged = { 'X-API-Key': key, Sunset: 'forged', 'X-Portal-Lifecycle': 'forged' };
      const told = async (path: string) => {
        const { status, headers } = await call(forged, path);
        return [status, ...['deprecation', 'sunset', 'link'].map((name) => headers.get(name))];
      };
      const date = `@${Math.floor(announced.deprecation.deprecatedAt.getTime() / 1_000)}`;
      const guide = ['deprecation', 'sunset'].map((rel) => `<https://a.example/guide>; rel="${rel}"; type="text/html"`);
      const link = [...guide, '<https://a.example/v3>; rel="successor-version"'].join(', ');
      expect(await told('/v1/charge?amount=1')).toEqual([200, date, sunsetAt.toUTCString(), link]);
      expect(await told('/v1/refund')).toEqual([200, null, null, null]);
      expect(upstream.reached.map((headers) => headers['x-portal-lifecycle'])).toEqual(['sunset', 'current']);
      test.clock.advance(91 * 86_400);
      expect(await told('/v1/charge')).toEqual([403, date, sunsetAt.toUTCString(), link]);
      expect(await denial({ 'X-API-Key': key })).toEqual([403, 'operation_retired']);
      await deprecations.delete(announced);
      test.clock.advance(2);
      expect(await told('/v1/charge')).toEqual([200, null, null, null]);
      await ada.signInAgain();
    });

    it('lets calls without a key pass where a product needs none, each client within its plan, whoever it claims to be', async () => {
      const { products } = test.portal.services.catalog;
      const { id } = await products.find('payments', { kind: 'admin' }, 'en');
      await products.setPlans(id, ['open', 'thrice', 'anonymous']);
      // The product is read again; no proxy before has used anything up today.
      test.clock.advance(86_400);
      const calls = async (claims: Record<string, string>) => {
        const answer = await call({ ...claims, 'X-Portal-App': 'forged', 'X-Portal-Developer': '1' });
        return [answer.status, answer.headers.get('ratelimit')?.replace(/t=\d+/, 't=…')];
      };
      expect(await calls({})).toEqual([200, '"daily";r=1;t=…']);
      expect(await calls({ 'X-Forwarded-For': '203.0.113.9' })).toEqual([200, '"daily";r=0;t=…']);
      expect(await calls({ 'X-Forwarded-For': '203.0.113.10' })).toEqual([429, '"daily";r=0;t=…']);
      const forged = upstream.reached.map((headers) => [
        headers['x-portal-app'] ?? '',
        headers['x-portal-developer'] ?? '',
      ]);
      expect(forged).toEqual([
        ['', ''],
        ['', ''],
      ]);
      expect(upstream.reached[0]?.['x-portal-products']).toBe('payments');
      await products.setPlans(id, ['open', 'thrice']);
      test.clock.advance(2);
      await ada.signInAgain();
      expect(await denial()).toEqual([401, 'missing_key']);
    });

    it('lets a rotated key work beside the old one, which dies at its time', async () => {
      const rotated = (await ada.post(`${credential}/rotate`, { overlap: 300 })).json.data;
      const both = async () => [
        await status({ 'X-API-Key': key }),
        await status({ 'X-API-Key': rotated.consumer_key }),
      ];
      expect(await both()).toEqual([200, 200]);
      test.clock.advance(299);
      expect(await both()).toEqual([200, 200]);
      test.clock.advance(1);
      expect(await both()).toEqual([403, 200]);
      expect(await denial({ 'X-API-Key': key })).toEqual([403, 'expired_key']);
    });
  });
}

describeWith('nginx', 'nginx keeping answers', () => {
  it('opens for the key it asked about, and for no other and none (gateways.md, caching)', async () => {
    const upstream = await startUpstream();
    const proxy = await cachingNginx(test.client.port, upstream.port);
    const { key } = await ada.createApp('cached', ['payments']);
    const status = async (query: string, headers: Record<string, string> = {}) =>
      (await fetch(`http://127.0.0.1:${proxy.port}/v1/charge${query}`, { headers })).status;
    expect(await status(`?apikey=${key}`)).toBe(200);
    expect(await status('')).toBe(401);
    expect(await status('?apikey=pk_00000000000000000000000000000000')).toBe(403);
    expect(await status('', { Authorization: 'Bearer pk_00000000000000000000000000000000' })).toBe(403);
    expect(await status('', { 'X-API-Key': key })).toBe(200);
    await ada.post('/cached/revoke');
    // Still open: this is what a cache costs.
    expect(await status(`?apikey=${key}`)).toBe(200);
    await proxy.stop();
    upstream.server.closeAllConnections();
    await new Promise<void>((resolve) => upstream.server.close(() => resolve()));
  });
});

describeWith('nginx', 'nginx writing an access log', () => {
  it('tells of calls with a key what usage:import counts, whoever else a client claims to be', async () => {
    const upstream = await startUpstream();
    const proxy = await loggingNginx(test.client.port, upstream.port);
    const { key, id } = await ada.createApp('logged', ['payments', 'geo']);
    const call = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${proxy.port}/v1/charge?a="b`, { headers })).text();
    await call({ 'X-API-Key': key });
    await call({ 'X-Portal-Key-Id': String(id) });
    await call({ 'X-API-Key': key, 'User-Agent': '"}\\' });
    // Refused calls end in another location, whose log is another one. A line is written once its call is over, and before the next one on the same connection.
    await call({});
    const log = readFileSync(join(proxy.directory, 'portal.json'), 'utf8').split('\n').slice(0, 2).join('\n');
    await proxy.stop();
    upstream.server.closeAllConnections();
    await new Promise<void>((resolve) => upstream.server.close(() => resolve()));
    const now = log.replaceAll(/"msec":[\d.]+/g, `"msec":${test.clock.now().getTime() / 1000}`);
    const choices = { format: null, product: null, dryRun: false };
    const outcome = await test.portal.services.usage.logs.run(Readable.from([Buffer.from(`${now}\n`)]), choices);
    expect(outcome).toMatchObject({ format: 'nginx', lines: 2, counted: 2, without: 0, rejectedLines: 0 });
    const { totals, groups } = (await ada.get('/logged/usage/answers?group_by=product')).json.data;
    expect([totals.successes, groups[0].name, totals.latency === null]).toEqual([2, 'payments', false]);
    expect(totals.bytes).toBeGreaterThan(0);
  });
});
