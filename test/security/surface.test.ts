import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import { defineRoute, type PortalRoute } from '../../src/api/index.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import type { Answer, Call } from '../support/http-client.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ORIGIN = 'https://app.example';
const MANY = { max: 100_000 };
/** What an unforeseen error may tell about the machine. */
const INSIDES = 'SELECT password_hash FROM portal_users; /srv/portal/dist/secret.js:12 mysql://root:hunter2@db';
const failing = defineRoute({
  ...{ method: 'get', path: '/boom', context: 'consumer', auth: 'none', tag: 'Test', operation: 'boom', summary: 'X' },
  reply: { 200: Joi.any() },
  handle: () => {
    throw Object.assign(new Error(INSIDES), { sql: INSIDES, parameters: [PASSWORD], status: 418, statusCode: 418 });
  },
});

const echo = defineRoute({
  ...{ method: 'post', path: '/echo', context: 'consumer', auth: 'none', tag: 'Test', operation: 'echo', summary: 'X' },
  body: Joi.object<{ any: object }>({ any: Joi.object().unknown().required() }),
  reply: { 200: Joi.any() },
  handle: ({ body }) => ({ keys: Object.getOwnPropertyNames(body.any), json: JSON.stringify(body.any) }),
});

let test: TestPortal;
let consumer: string;
let admin: string;
let roleless: string;

beforeAll(async () => {
  test = await startTestPortal({
    config: {
      app: { url: 'https://portal.example', allowedHosts: ['127.0.0.1'] },
      portalApi: { cors: { origins: [ORIGIN] } },
      limits: { ip: { requests: MANY, failingAccounts: MANY }, refresh: { perIp: 100_000, perFamily: 100_000 } },
    },
    extensions: { routes: () => [failing, echo] },
  });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments' }, { openapi: '3.1.0', info: { title: 'P', version: '1' }, paths: {} });
  await test.portal.services.site.menus.create({ slug: 'header', name: 'Header', items: [] });
  consumer = (await issueTokens(test, (await createUser(test)).id)).accessToken;
  admin = (await issueTokens(test, (await createAdmin(test, { roles: ['super_admin'] })).id, 'admin')).accessToken;
  roleless = (await issueTokens(test, (await createAdmin(test)).id, 'admin')).accessToken;
});
afterAll(() => test.stop());

const tokenFor = ({ context }: PortalRoute): string => (context === 'admin' ? admin : consumer);
const callable = (): PortalRoute[] => test.portal.routes.filter(({ path }) => !path.includes(':'));
const unsafe = (): PortalRoute[] => callable().filter(({ method }) => method !== 'get');
const call = (route: PortalRoute, more: Call = {}): Promise<Answer> =>
  test.client.send(route.method.toUpperCase(), test.portal.pathOf(route), { token: tokenFor(route), ...more });

describe('the headers of protection (S44)', () => {
  const answers: [name: string, status: number, send: () => Promise<Answer>][] = [
    ['a list', 200, () => test.client.get('/api/v1/api-products')],
    ['a document', 200, () => test.client.get('/api/v1/api-products/payments/spec')],
    ['a probe', 200, () => test.client.get('/api/v1/health')],
    ['a preflight', 204, () => test.client.send('OPTIONS', '/api/v1/me', { headers: { origin: ORIGIN } })],
    ['the way home', 302, () => test.client.get('/')],
    ['broken JSON', 400, () => test.client.post('/api/v1/auth/login', undefined, { raw: '{' })],
    ['no token', 401, () => test.client.get('/api/v1/me')],
    ['no right', 403, () => test.client.get('/api/v1/admin/users', { token: roleless })],
    ['no record', 404, () => test.client.get('/api/v1/api-products/none')],
    ['no route', 404, () => test.client.get('/nowhere')],
    ['no method', 405, () => test.client.delete('/api/v1/health')],
    ['a large body', 413, () => test.client.post('/api/v1/auth/login', { email: 'x'.repeat(110_000) })],
    ['a form', 415, () => test.client.post('/api/v1/auth/login', undefined, { raw: 'a=b', type: 'text/plain' })],
    ['a wrong field', 422, () => test.client.post('/api/v1/auth/login', {})],
    ['a fault', 500, () => test.client.get('/api/v1/boom')],
    ['a door', 401, () => test.client.get('/gateway/verify')],
  ];

  it.each(answers)('are on %s (%i)', async (_name, status, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-request-id': expect.any(String),
    });
    if (status !== 200) expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const name of ['x-powered-by', 'server', 'etag', 'set-cookie']) {
      if (name !== 'etag' || status !== 200) expect([name, answer.headers.get(name)]).toEqual([name, null]);
    }
    expect(answer.headers.get('content-type') ?? 'none').not.toMatch(/html/);
  });

  it('leave out the promise of https where there is none', async () => {
    const plain = await startTestPortal({ databaseUrl: test.databaseUrl });
    expect((await plain.client.get('/api/v1/health')).headers.get('strict-transport-security')).toBeNull();
    await plain.stop();
  });
});

describe('an unforeseen error (S50)', () => {
  it('says nothing of what is inside, in no format that a client may wish for', async () => {
    for (const accept of ['text/html', 'application/json', '*/*', 'text/plain', 'application/yaml']) {
      const answer = await test.client.get('/api/v1/boom', { headers: { accept } });
      expect([answer.status, answer.text]).toEqual([
        500,
        '{"success":false,"status":500,"message":"Internal server error.","errors":{},"meta":null}',
      ]);
      expect(JSON.stringify([...answer.headers])).not.toMatch(/hunter2|portal_users|dist/);
    }
  });
});

describe('methods', () => {
  it('that a path does not have are answered with 405 and those it has, whoever asks', async () => {
    const offered = new Map<string, Set<string>>();
    for (const route of test.portal.routes) {
      const path = test.portal.pathOf(route).replace(/:\w+/g, '1');
      const methods = offered.get(path) ?? new Set(['OPTIONS']);
      methods.add(route.method.toUpperCase());
      if (route.method === 'get') methods.add('HEAD');
      offered.set(path, methods);
    }
    for (const [path, methods] of offered) {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE'].filter(
        (name) => !methods.has(name),
      );
      for (const method of others) {
        const answer = await test.client.send(method, path);
        expect([method, path, answer.status, answer.json.message]).toEqual([method, path, 405, 'Method not allowed.']);
        expect(new Set(answer.headers.get('allow')?.split(', '))).toEqual(methods);
      }
      const options = await test.client.send('OPTIONS', path);
      expect([path, options.status, options.text]).toEqual([path, 204, '']);
      expect(new Set(options.headers.get('allow')?.split(', '))).toEqual(methods);
    }
  });

  it('HEAD answers what GET does, without a body, and under the same guards', async () => {
    const shown = ({ status, headers }: Answer) => [
      status,
      [...headers].filter(([name]) => !['x-request-id', 'date', 'connection', 'keep-alive'].includes(name)),
    ];
    for (const path of [
      'api-products',
      'api-products/payments',
      'api-products/payments/spec',
      'me',
      'admin/users',
      'no',
    ]) {
      for (const token of [undefined, consumer]) {
        const more = token === undefined ? {} : { token };
        const [get, head] = [
          await test.client.get(`/api/v1/${path}`, more),
          await test.client.send('HEAD', `/api/v1/${path}`, more),
        ];
        expect([path, shown(head)]).toEqual([path, shown(get)]);
        expect(head.text).toBe('');
      }
    }
  });
});

describe('another site (S43)', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'text/json',
    '',
  ])('cannot send a body of type "%s" to any route', async (type) => {
    expect(unsafe().length).toBeGreaterThan(10);
    for (const route of unsafe()) {
      const answer = await call(route, { raw: '{"email":"a@example.com"}', type });
      // Uploads take multipart bodies, of well-formed parts.
      const refusal = route.upload && type.startsWith('multipart/') ? 400 : 415;
      expect([route.operation, answer.status]).toEqual([route.operation, refusal]);
    }
  });

  it('is not helped by cookies: they are neither read nor set', async () => {
    const cookie = `token=${consumer}; access_token=${consumer}; portal=${consumer}; __Host-portal=${consumer}`;
    for (const route of test.portal.routes.filter(({ auth }) => auth === 'required')) {
      const path = test.portal.pathOf(route).replace(/:\w+/g, '1');
      const answer = await test.client.send(route.method.toUpperCase(), path, { headers: { cookie } });
      expect([route.operation, answer.status, answer.headers.get('set-cookie')]).toEqual([route.operation, 401, null]);
    }
  });

  const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

  it.each([
    'https://evil.example',
    'null',
    `${ORIGIN}.evil.example`,
    'https://app.example:8443',
    'http://app.example',
    'https://APP.example',
    `${ORIGIN}/`,
    'https://evil.example/https://app.example',
    '*',
  ])('as %s may neither read nor ask first', async (origin) => {
    for (const path of ['/api/v1/api-products', '/api/v1/me', '/api/v1/nowhere', '/gateway/verify', '/']) {
      for (const method of ['GET', 'OPTIONS']) {
        const headers = method === 'GET' ? { origin } : { origin, ...preflight };
        const answer = await test.client.send(method, path, { headers });
        const granted = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect([path, method, granted]).toEqual([path, method, []]);
      }
    }
  });

  it('that is listed may read every answer, errors too, and never with cookies', async () => {
    for (const path of ['api-products', 'me', 'nowhere', 'boom']) {
      const { headers } = await test.client.get(`/api/v1/${path}`, { headers: { origin: ORIGIN } });
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toMatch(/\bOrigin\b/);
    }
    const asked = await test.client.send('OPTIONS', '/api/v1/me', { headers: { origin: ORIGIN, ...preflight } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    expect(asked.headers.get('access-control-allow-methods')).not.toContain('*');
    const outside = await test.client.get('/gateway/verify', { headers: { origin: ORIGIN } });
    expect(outside.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is never listed unless somebody lists it', async () => {
    const closed = await startTestPortal({ databaseUrl: test.databaseUrl });
    const { headers } = await closed.client.get('/api/v1/api-products', { headers: { origin: ORIGIN } });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    await closed.stop();
  });
});

describe('a body (S48, S49)', () => {
  const nested = (depth: number) => `{"email":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  /** A character of UTF-16 whose bytes hold a quotation mark turns a count of brackets off. */
  const hidden = Buffer.from(`{"a":"\u2200","b":${'['.repeat(500)}${']'.repeat(500)}}`, 'utf16le');
  const refused: [name: string, call: Call, status: number][] = [
    ['nested 32 deep is read', { raw: nested(32) }, 422],
    ['nested 33 deep', { raw: nested(33) }, 400],
    ['nested 33 deep behind a string of brackets', { raw: `{"x":"\\"[[","email":${nested(33)}}` }, 400],
    ['in UTF-16, which can hide how deep it is', { raw: hidden, type: 'application/json; charset=utf-16le' }, 415],
    ['in UTF-7', { raw: '{"email":+AFs-+AF0-}', type: 'application/json;charset="UTF-7"' }, 415],
    ['in UTF-32', { raw: '{}', type: 'application/json; charset=utf-32' }, 415],
    ['in UTF-8 that says so is read', { raw: '{}', type: 'application/json; charset="UTF-8"' }, 422],
    ['in broken UTF-8', { raw: Buffer.from('7b2261223a22ff227d', 'hex') }, 400],
    ['with a surrogate in UTF-8', { raw: Buffer.from('7b2261223a22eda080227d', 'hex') }, 400],
    ['with an overlong slash', { raw: Buffer.from('7b2261223a22c0af227d', 'hex') }, 400],
    ['of 1000 keys is read', { raw: `{${Array.from({ length: 1000 }, (_, i) => `"k${i}":1`).join()}}` }, 422],
    ['of 1001 keys', { raw: `{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join()}}` }, 400],
    ['of 100 kB is read', { raw: `{"a":"${'x'.repeat(102_400 - 8)}"}` }, 422],
    ['of a byte more', { raw: `{"a":"${'x'.repeat(102_400 - 7)}"}` }, 413],
    [
      'that grows when it is unpacked',
      { raw: gzipSync(`{"a":"${'x'.repeat(200_000)}"}`), headers: { 'content-encoding': 'gzip' } },
      413,
    ],
    ['that is packed twice', { raw: gzipSync(gzipSync('{}')), headers: { 'content-encoding': 'gzip, gzip' } }, 415],
    ['that is not packed as it says', { raw: '{}', headers: { 'content-encoding': 'gzip' } }, 400],
    ['of two values', { raw: '{}{}' }, 400],
    ['with a comment', { raw: '{/**/}' }, 400],
    ['with NaN', { raw: '{"a":NaN}' }, 400],
  ];

  it.each(refused)('%s', async (_name, sent, status) => {
    const answer = await test.client.send('POST', '/api/v1/auth/login', sent);
    expect([answer.status, answer.json.success]).toEqual([status, false]);
  });

  it('without a length is bounded as well', async () => {
    const chunk = 'x'.repeat(50_000);
    const chunks = Array.from({ length: 3 }, () => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const answer = await test.client.rawRequest(
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
        `Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('loses the keys that could reach a prototype also where a route takes any', async () => {
    const raw =
      '{"any":{"a":{"__proto__":{"x":1},"b":[{"constructor":{"prototype":{"x":1}}}]},"prototype":1,"__proto__":{"x":1}}}';
    const answer = await test.client.post('/api/v1/echo', undefined, { raw });
    expect(answer.json.data).toEqual({ keys: ['a'], json: '{"a":{"b":[{}]}}' });
  });

  it('reaches no prototype, whatever its keys are called (S51)', async () => {
    const keys = ['__proto__', 'constructor', 'prototype'];
    const before = JSON.stringify([Object.getOwnPropertyNames(Object.prototype), Object.keys(Array.prototype)]);
    for (const key of keys) {
      for (const route of unsafe().filter(({ method }) => method !== 'delete')) {
        const raw = `{"${key}":{"isAdmin":true,"status":"active"},"custom_attributes":{"${key}":{"isAdmin":true}}}`;
        expect((await call(route, { raw })).status).toBeLessThan(500);
      }
      const queries = ['filters', key].map((name) => `${name}=${encodeURIComponent(`{"${key}":{"eq":"x"}}`)}`);
      for (const query of queries) {
        expect((await test.client.get(`/api/v1/api-products?${query}`)).status).toBeLessThan(500);
      }
    }
    expect(JSON.stringify([Object.getOwnPropertyNames(Object.prototype), Object.keys(Array.prototype)])).toBe(before);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('has its bounds in a filter of a list as well', async () => {
    for (const filters of ['['.repeat(1500) + ']'.repeat(1500), `{"slug":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`]) {
      expect((await test.client.get(`/api/v1/api-products?filters=${encodeURIComponent(filters)}`)).status).toBe(422);
    }
  });
});
