import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import { createApplication, created, OWN_ACCOUNT, paginated, routeDefiner, type Actor } from '../../src/http/index.js';
import {
  DeclarationError,
  ForbiddenError,
  NotFoundError,
  silentLogger,
  UnauthenticatedError,
} from '../../src/core/index.js';
import { TestClient } from '../support/http-client.js';

interface Services {
  seen: unknown[];
}
const defineRoute = routeDefiner<Services, Actor, Actor>();
const any = Joi.any();
const thing = Joi.object<{ name: string; count?: number; parts?: object[]; labels?: object }>({
  name: Joi.string().max(10).required(),
  count: Joi.number().integer(),
  parts: Joi.array().items(Joi.object({ size: Joi.number() })),
  labels: Joi.object().pattern(Joi.string(), Joi.object({ title: Joi.string() })),
});
const base = { tag: 'Test', summary: 'A route of the test', reply: { 200: any } } as const;

const routes = [
  defineRoute({
    ...base,
    method: 'post',
    path: '/things',
    context: 'consumer',
    auth: 'none',
    operation: 'createThing',
    body: thing,
    handle: ({ body, services }) => {
      services.seen.push(body);
      return created(body);
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/things',
    context: 'consumer',
    auth: 'none',
    operation: 'listThings',
    list: {
      sorts: ['name'],
      filters: { status: 'string', created_at: 'date' },
      relations: ['parts'],
      searchable: true,
    },
    handle: ({ list }) =>
      paginated({ items: [list], total: 31, page: list.page, perPage: list.perPage, nextCursor: 'next' }),
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: '/things/:id',
    context: 'consumer',
    operation: 'updateThing',
    body: thing,
    params: Joi.object<{ id: number }>({ id: Joi.number().integer().required() }),
    find: ({ params }) => {
      if (params.id !== 1) throw new NotFoundError();
      return Promise.resolve({ id: params.id });
    },
    handle: ({ found, actor }) => ({ ...found, actor: actor.id }),
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: '/things/:id',
    context: 'consumer',
    operation: 'deleteThing',
    handle: () => ({}),
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: '/records/:id',
    context: 'consumer',
    operation: 'updateRecord',
    body: Joi.object<{ name: string }>({ name: Joi.string() }),
    record: true,
    reply: { 200: Joi.object({ id: Joi.number().required(), name: Joi.string().required(), made_at: Joi.string() }) },
    handle: ({ body, services }) => {
      services.seen.push(body);
      return {};
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/secrets',
    context: 'admin',
    operation: 'listSecrets',
    policy: ['view', 'secret'],
    handle: () => ({}),
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/late',
    context: 'consumer',
    auth: 'none',
    operation: 'failLate',
    handle: async () => {
      await Promise.resolve();
      throw new Error('the database password is hunter2');
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/health',
    context: 'consumer',
    auth: 'none',
    operation: 'getHealth',
    anyHost: true,
    handle: () => ({ status: 'ok' }),
  }),
];

const services: Services = { seen: [] };
const refusals: [string, number][] = [];
let client: TestClient;

beforeAll(async () => {
  const app = createApplication({
    routes,
    onAnswered: null,
    tracer: null,
    endpoints: [],
    surfaces: [],
    prefixes: { prefix: '/api/v1', adminPrefix: 'admin' },
    pipeline: {
      services,
      guards: {
        authenticate: (_context, token) =>
          token === 'good' || token === 'weak'
            ? Promise.resolve({ id: token === 'good' ? 7 : 8 })
            : Promise.reject(new UnauthenticatedError()),
        admit: () => Promise.resolve(),
        authorize: (actor) => (actor.id === 7 ? Promise.resolve() : Promise.reject(new ForbiddenError())),
        describe: ({ id }) => ({ type: 'developer', id, name: null, email: null }),
        recordRefusal: (route, { status }) => Promise.resolve(void refusals.push([route.operation, status])),
        throttle: () => Promise.resolve(),
      },
      repetitions: { begin: () => Promise.reject(new Error('no route of this test is idempotent')) },
      settings: {
        baseUrl: () => 'https://portal.example',
        bodyLimit: 100_000,
        locales: ['en', 'ar'],
        defaultLocale: 'en',
        perPage: 15,
        maxPerPage: 100,
      },
    },
    readiness: { isOpen: true, admit: () => Promise.resolve() },
    logger: silentLogger,
    trustProxy: 0,
    allowedHosts: () => ['127.0.0.1'],
    https: () => true,
    corsOrigins: ['https://app.example'],
    readers: { sendTimeout: 30, answerMemory: 1_048_576 },
    home: '/api/v1/things',
  });
  client = await TestClient.start(app);
});

afterAll(() => client.close());

describe('the envelope', () => {
  it('wraps a success with exactly the fields of the specification', async () => {
    const answer = await client.post('/api/v1/things', { name: 'a' });
    expect(answer.json).toEqual({ success: true, status: 201, message: '', data: { name: 'a' }, meta: null });
  });

  it('wraps a failed validation with one list of sentences per field', async () => {
    const answer = await client.post('/api/v1/things', { count: 'three' });
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({
      success: false,
      status: 422,
      message: 'Validation failed.',
      meta: null,
      errors: { name: ['name is required.'], count: ['count must be a number.'] },
    });
  });

  it('hides what an unexpected error says and gives the request id instead', async () => {
    const answer = await client.get('/api/v1/late');
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      success: false,
      status: 500,
      message: 'Internal server error.',
      errors: {},
      meta: null,
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers an unknown route with 404 and a known path with 405 and Allow', async () => {
    const missing = await client.get('/api/v1/nothing');
    expect([missing.status, missing.json.message]).toEqual([404, 'Route not found.']);
    const wrong = await client.delete('/api/v1/things');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, OPTIONS']);
  });
});

describe('a broken request', () => {
  const broken: [
    name: string,
    call: { raw: string | Buffer; type?: string; headers?: Record<string, string> },
    status: number,
  ][] = [
    ['JSON that does not parse', { raw: '{"name":' }, 400],
    [
      'a body cut in a UTF-8 sequence stays a string problem, not a crash',
      { raw: Buffer.from([0x7b, 0xff, 0x7d]) },
      400,
    ],
    ['arrays nested 50 000 deep', { raw: '['.repeat(50_000) + ']'.repeat(50_000) }, 400],
    [
      'more than 1000 keys',
      { raw: JSON.stringify(Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`k${index}`, 1]))) },
      400,
    ],
    ['a body over the limit', { raw: JSON.stringify({ name: 'x'.repeat(101_000) }) }, 413],
    ['a gzip bomb', { raw: gzipSync(Buffer.alloc(5_000_000, 'a')), headers: { 'content-encoding': 'gzip' } }, 413],
    ['a form', { raw: 'name=a', type: 'application/x-www-form-urlencoded' }, 415],
    ['text that a cross-site form could send', { raw: '{"name":"a"}', type: 'text/plain' }, 415],
    ['an unknown charset', { raw: '{"name":"a"}', type: 'application/json; charset=klingon' }, 415],
    ['an unknown content encoding', { raw: '{"name":"a"}', headers: { 'content-encoding': 'zip' } }, 415],
    ['a list where an object is due', { raw: '[1]' }, 422],
    ['null where an object is due', { raw: 'null' }, 422],
  ];
  it.each(broken)('%s', async (_name, call, status) => {
    const answer = await client.send('POST', '/api/v1/things', call);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ success: false, status, meta: null });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('takes an empty body for an empty object', async () => {
    const answer = await client.send('POST', '/api/v1/things');
    expect(answer.json.errors).toEqual({ name: ['name is required.'] });
  });

  it('refuses a path that does not decode', async () => {
    const answer = await client.get('/api/v1/things/%zz');
    expect([answer.status, answer.json.message]).toEqual([400, 'Malformed request.']);
  });

  it('answers bytes that are not HTTP with the envelope', async () => {
    const { startServer } = await import('../../src/http/index.js');
    const options = { host: '127.0.0.1', port: 0, onDrain: () => undefined };
    const server = await startServer(() => undefined, options);
    const { connect } = await import('node:net');
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.address.port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
    });
    await server.close();
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('{"success":false,"status":400,"message":"Malformed request.","errors":{},"meta":null}');
  });

  it('drops keys that could reach a prototype', async () => {
    await client.send('POST', '/api/v1/things', {
      raw: '{"name":"ok","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
    });
    const seen = services.seen.at(-1) as Record<string, unknown>;
    expect(Object.keys(seen)).toEqual(['name']);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('refuses fields that the route does not declare, each by its name and with the nearest one', async () => {
    const seen = services.seen.length;
    const { status, json } = await client.post('/api/v1/things', { name: 'ok', cuont: 1, role: 'super_admin' });
    expect(status).toBe(422);
    expect(json.errors).toEqual({
      cuont: ['There is no field cuont. Did you mean count?'],
      role: ['There is no field role. Those there are: name, count, parts, labels.'],
    });
    expect(services.seen).toHaveLength(seen);
  });

  it('refuses them inside of other fields too, by their path', async () => {
    const body = { name: 'ok', parts: [{ size: 1 }, { siez: 2 }], labels: { ar: { titel: 'x' } } };
    const { json } = await client.post('/api/v1/things', body);
    expect(json.errors).toEqual({
      'parts.1.siez': ['There is no field siez. Did you mean size?'],
      'labels.ar.titel': ['There is no field titel. Did you mean title?'],
    });
  });

  it('refuses every field where none is declared', async () => {
    const { status, json } = await client.send('DELETE', '/api/v1/things/1', { body: { force: true }, token: 'good' });
    expect([status, json.errors]).toEqual([422, { force: ['There is no field force. None is taken here.'] }]);
    const list = await client.send('DELETE', '/api/v1/things/1', { raw: '[]', token: 'good' });
    expect([list.status, list.json.errors]).toEqual([422, { body: ['The body must be a JSON object.'] }]);
    expect((await client.send('DELETE', '/api/v1/things/1', { body: {}, token: 'good' })).status).toBe(200);
  });

  it('refuses names that every object inherits like all others', async () => {
    const raw = '{"name":"ok","toString":1,"hasOwnProperty":{"valueOf":1},"labels":{"toString":{"valueOf":1}}}';
    const { status, json } = await client.send('POST', '/api/v1/things', { raw });
    expect([status, Object.keys(json.errors).sort()]).toEqual([
      422,
      ['hasOwnProperty', 'labels.toString.valueOf', 'toString'],
    ]);
  });

  it('names twenty of them at most, and long ones by their beginning', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'x'.repeat(150)}${index}`, 1]));
    const { status, json, text } = await client.post('/api/v1/things', { name: 'ok', ...many });
    expect([status, Object.keys(json.errors).length, text.length < 20_000]).toEqual([422, 1, true]);
  });

  it('takes a whole record back, the fields that only the portal sets included, and hands on what may be written', async () => {
    const { status } = await client.put('/api/v1/records/1', { id: 'x', name: 'b', made_at: 1 }, { token: 'good' });
    expect([status, services.seen.at(-1)]).toEqual([200, { name: 'b' }]);
    const other = await client.put('/api/v1/records/1', { make_at: 1 }, { token: 'good' });
    expect(other.json.errors).toEqual({ make_at: ['There is no field make_at. Those there are: name.'] });
  });

  it('stops the start when a route that makes a record is declared to take one back', () => {
    expect(() =>
      defineRoute({
        ...base,
        ...{ method: 'post', path: '/x', context: 'consumer', operation: 'x', body: thing, record: true },
        handle: () => ({}),
      }),
    ).toThrow(DeclarationError);
  });
});

describe('the order of the checks', () => {
  it('asks who you are before it looks at anything else', async () => {
    const answer = await client.send('PUT', '/api/v1/things/2', { raw: '{broken', type: 'text/plain' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('says 404 for a missing record before it reads the body', async () => {
    for (const id of ['2', 'not-a-number']) {
      const answer = await client.send('PUT', `/api/v1/things/${id}`, { raw: '{broken', token: 'good' });
      expect([answer.status, answer.json.message]).toEqual([404, 'Resource not found.']);
    }
  });

  it('says 415 before 422', async () => {
    const answer = await client.send('PUT', '/api/v1/things/1', { raw: 'x', type: 'text/plain', token: 'good' });
    expect(answer.status).toBe(415);
  });

  it('says 403 to an admin without the right', async () => {
    expect((await client.get('/api/v1/admin/secrets', { token: 'weak' })).status).toBe(403);
    expect((await client.get('/api/v1/admin/secrets', { token: 'good' })).status).toBe(200);
  });

  it('takes note of every refusal on an admin route (S72)', async () => {
    refusals.length = 0;
    await client.get('/api/v1/admin/secrets');
    await client.get('/api/v1/admin/secrets', { token: 'weak' });
    expect(refusals).toEqual([
      ['listSecrets', 401],
      ['listSecrets', 403],
    ]);
  });
});

describe('the bearer token', () => {
  it('counts only in one Authorization header (S22)', async () => {
    expect((await client.get('/api/v1/admin/secrets?token=good')).status).toBe(401);
    expect((await client.get('/api/v1/admin/secrets', { headers: { cookie: 'token=good' } })).status).toBe(401);
    expect((await client.get('/api/v1/admin/secrets', { headers: { authorization: 'Basic good' } })).status).toBe(401);
    expect((await client.get('/api/v1/admin/secrets', { token: 'g'.repeat(5000) })).status).toBe(401);
    const twice = await client.rawRequest(
      'GET /api/v1/admin/secrets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer good\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n',
    );
    expect(twice).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('listing parameters', () => {
  const listed = (query: string) => client.get(`/api/v1/things?${query}`);

  it('have defaults, are capped, and describe the page in meta.pagination', async () => {
    const answer = await listed('per_page=5000&page=2&q=a%26b');
    expect(answer.json.data).toEqual([{ page: 2, perPage: 100, direction: 'DESC', with: [], filters: [], q: 'a&b' }]);
    expect(answer.json.meta.pagination).toEqual({
      total: 31,
      count: 1,
      per_page: 100,
      current_page: 2,
      total_pages: 1,
      next_cursor: 'next',
      links: {
        next: 'https://portal.example/api/v1/things?per_page=5000&page=3&q=a%26b',
        prev: 'https://portal.example/api/v1/things?per_page=5000&page=1&q=a%26b',
      },
    });
  });

  it('read filters as JSON', async () => {
    const answer = await listed(
      `filters=${encodeURIComponent('{"status":"active","created_at":{"gte":"2026-01-01"}}')}`,
    );
    expect(answer.json.data[0].filters).toEqual([
      { field: 'status', operator: 'eq', value: 'active' },
      { field: 'created_at', operator: 'gte', value: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it.each([
    ['per_page=0', 'per_page', 'at least 1'],
    ['page=10001', 'page', 'cursor'],
    ['order_by=password', 'order_by', 'name'],
    ['direction=UP', 'direction', 'ASC, DESC'],
    ['with=passwords', 'with', 'parts'],
    ['page=1&page=2', 'page', 'once'],
    [`filters=${encodeURIComponent('{"password":"x"}')}`, 'filters', 'status, created_at'],
    [`filters=${encodeURIComponent('{"__proto__":"x"}')}`, 'filters', 'status, created_at'],
    [`filters=${encodeURIComponent('{"status":{"$gt":""}}')}`, 'filters', 'operators'],
    [`filters=${encodeURIComponent('{"status":["a",["b"]]}')}`, 'filters', 'text'],
    [`filters=${encodeURIComponent('{"created_at":"yesterday"}')}`, 'filters', 'ISO 8601'],
    [`filters=${'['.repeat(3000)}`, 'filters', 'JSON object'],
  ])('refuse %s', async (query, field, words) => {
    const answer = await listed(query);
    expect(answer.status).toBe(422);
    expect(answer.json.errors[field]?.join(' ')).toContain(words);
  });
});

describe('the protection around every answer', () => {
  it('sends the security headers on success and on error alike', async () => {
    for (const path of ['/api/v1/things', '/api/v1/nothing', '/api/v1/late']) {
      const { headers } = await client.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('refuses a foreign Host except on probes (S47)', async () => {
    const raw = (path: string) =>
      client.rawRequest(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(await raw('/api/v1/things')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw('/api/v1/health')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('lets only listed origins read, and never with cookies (S43)', async () => {
    const from = async (origin: string) => (await client.get('/api/v1/things', { headers: { origin } })).headers;
    expect((await from('https://app.example')).get('access-control-allow-origin')).toBe('https://app.example');
    for (const origin of ['https://evil.example', 'null', 'https://app.example.evil.example', 'http://app.example']) {
      expect((await from(origin)).get('access-control-allow-origin')).toBeNull();
    }
    expect((await from('https://app.example')).get('access-control-allow-credentials')).toBeNull();
  });

  it('keeps a harmless request id of a proxy and replaces any other', async () => {
    const idFor = async (sent: string) =>
      (await client.get('/api/v1/health', { headers: { 'x-request-id': sent } })).headers.get('x-request-id');
    expect(await idFor('proxy-1234567')).toBe('proxy-1234567');
    expect(await idFor('x y<script>')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a declaration', () => {
  it('of an admin route without permission or policy stops the start (S54)', () => {
    const declare = () =>
      defineRoute({ ...base, method: 'get', path: '/open', context: 'admin', operation: 'open', handle: () => ({}) });
    expect(declare).toThrow(DeclarationError);
    expect(() =>
      defineRoute({
        ...base,
        method: 'get',
        path: '/me',
        context: 'admin',
        operation: 'me',
        permission: OWN_ACCOUNT,
        handle: () => ({}),
      }),
    ).not.toThrow();
  });
});
