import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Developer } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct } from '../support/factories.js';
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

let test: TestPortal;
let ada: Developer;
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({ config: { verify: { secret: SECRET } } });
  await createProduct(test, { slug: 'payments' });
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
