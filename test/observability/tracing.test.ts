import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, trace } from '@opentelemetry/api';
import { Developer } from '../support/apps.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { FakeApigee } from '../support/fake-apigee.js';
import { FakeClock } from '../support/fake-clock.js';
import { TestClient } from '../support/http-client.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { PageClient } from '../support/page-client.js';
import { SpanBox, type SeenSpan } from '../support/spans.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const box = new SpanBox();
const mailbox = new Mailbox();
let test: TestPortal;

beforeAll(async () => {
  test = await startTestPortal({ config: { tracing: { enabled: true } }, extensions: { mailer: () => mailbox } });
  await createProduct(test, { slug: 'weather' });
});
beforeEach(() => void box.take());
afterAll(async () => {
  await test.stop();
  await box.stop();
});

const childrenOf = (parent: SeenSpan, spans: readonly SeenSpan[]) => spans.filter((span) => span.parent === parent.id);

describe('the span of a request', () => {
  it('is named by the route as declared and continues the trace of its caller', async () => {
    const answer = await test.client.get('/api/v1/api-products/weather?q=sunny', {
      headers: { traceparent: TRACEPARENT, baggage: 'account=ada' },
    });
    const { span } = await box.until('GET /api/v1/api-products/{id}');
    expect(span).toMatchObject({ kind: 'SERVER', trace: TRACE, parent: PARENT, failed: false });
    expect(span.facts).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/api/v1/api-products/{id}',
      'portal.request_id': answer.headers.get('x-request-id'),
      'url.path': '/api/v1/api-products/weather',
      'url.scheme': 'http',
    });
  });

  it('begins a trace without a caller, tells neither made up methods nor addresses of nothing, and none of probes', async () => {
    await test.client.get('/api/v1/health/live');
    await test.client.get('/portal/reset-password/secret-of-a-link/"');
    await test.client.send('PURGE', '/nothing/here/secret-of-a-link');
    const { span, spans } = await box.until('_OTHER');
    expect(spans.map(({ name }) => name)).not.toContainEqual(expect.stringContaining('health'));
    expect(span.parent).toBeUndefined();
    expect(JSON.stringify(spans)).not.toContain('secret-of-a-link');
  });

  it('failed when the portal did', async () => {
    await test.portal.database.execute('ALTER TABLE portal_products RENAME TO hidden_away');
    await test.client.get('/api/v1/api-products/not-kept');
    await test.portal.database.execute('ALTER TABLE hidden_away RENAME TO portal_products');
    const { span, spans } = await box.until('GET /api/v1/api-products/{id}');
    expect([span.failed, span.facts['error.type']]).toEqual([true, '500']);
    const statement = childrenOf(span, spans).find(({ failed }) => failed);
    expect(statement?.facts['error.type']).toMatch(/^(ERR_SQLITE|SQLITE|ER_)/);
    await test.client.get('/api/v1/api-products/no-such');
    expect((await box.until('GET /api/v1/api-products/{id}')).span).toMatchObject({ failed: false });
  });

  it('holds the statements of models and of the fast path, without a value', async () => {
    const user = await createUser(test);
    box.take();
    await test.client.post('/api/v1/auth/login', { email: user.email, password: PASSWORD });
    const { span, spans } = await box.until('POST /api/v1/auth/login');
    const statements = childrenOf(span, spans);
    const names = statements.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['BEGIN', 'INSERT portal_sessions', 'COMMIT']));
    expect(names.some((name) => name === 'SELECT portal_users')).toBe(true);
    const insert = statements.find(({ name }) => name === 'INSERT portal_sessions');
    expect(insert).toMatchObject({ kind: 'CLIENT', trace: span.trace });
    expect(insert?.facts).toEqual({
      'db.system.name': test.portal.database.dialect,
      'db.operation.name': 'INSERT',
      'db.collection.name': 'portal_sessions',
      'db.query.summary': 'INSERT portal_sessions',
      'db.query.text': expect.stringContaining('SELECT ?, ?, id, ?,'),
    });
    expect(JSON.stringify(spans)).not.toContain(user.email);
  });
});

describe('SQL with values in it', () => {
  it('is told without them', async () => {
    const { database } = test.portal;
    await trace.getTracer('test').startActiveSpan('host', async (span) => {
      await database.select("SELECT id FROM portal_users WHERE email = 'it''s FROM canary' AND last_name = 'canary'");
      await database.sequelize.query("SELECT 1 AS one FROM portal_users WHERE email = 'canary'");
      span.end();
    });
    const spans = box.take();
    expect(spans.map(({ name }) => name)).toEqual(['SELECT portal_users', 'SELECT portal_users', 'host']);
    expect(JSON.stringify(spans)).not.toContain('canary');
    expect(spans[0]?.facts['db.query.text']).toBe('SELECT id FROM portal_users WHERE email = ? AND last_name = ?');
  });
});

describe('work outside of requests', () => {
  it('is a trace of its own, with the mails that it sends', async () => {
    const user = await createUser(test);
    await test.client.post(
      '/api/v1/auth/forgot-password',
      { email: user.email },
      { headers: { traceparent: TRACEPARENT } },
    );
    box.take();
    const [mail] = await mailbox.take(test, user.email);
    const spans = box.take();
    const job = spans.find(({ name }) => name === 'job mail');
    const sent = spans.find(({ name }) => name.startsWith('mail '));
    expect(job).toMatchObject({ kind: 'INTERNAL', parent: undefined, facts: { 'portal.job': 'mail' } });
    expect(sent).toMatchObject({ kind: 'CLIENT', trace: job?.trace, facts: { 'portal.mail.tries': 1 } });
    expect(job?.trace).not.toBe(TRACE);
    expect(JSON.stringify(spans)).not.toMatch(new RegExp(`${user.email}|${tokenOf(mail)}`));
  });
});

describe('a call of the gateway', () => {
  it('carries the trace on, and nothing else of the caller', async () => {
    const clock = new FakeClock();
    const fake = await FakeApigee.start({ flavour: 'x', clock, products: [{ name: 'gw-one' }] });
    const seen: (string | undefined)[][] = [];
    const between = createServer((request, response) => {
      seen.push([String(request.headers.traceparent), request.headers.baggage as string | undefined]);
      const { method, headers } = request;
      const address = `${fake.settings('token').endpoint as string}${request.url}`;
      const body = method === 'GET' ? undefined : request;
      void fetch(address, {
        method,
        headers: headers as Record<string, string>,
        body,
        duplex: 'half',
      }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(await answer.text());
      });
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const apigee = { ...fake.settings('token'), endpoint };
    const far = await startTestPortal({
      clock,
      config: { tracing: { enabled: true }, gateway: { driver: 'apigee', apigee } },
    });
    try {
      await createProduct(far, { slug: 'one', gatewayProductId: 'gw-one' });
      const ada = await Developer.create(far);
      box.take();
      const headers = { traceparent: TRACEPARENT, baggage: 'account=ada' };
      const body = { name: 'checkout', products: ['one'] };
      const made = await far.client.post('/api/v1/me/apps', body, { token: ada.token, headers });
      expect(made.status).toBe(201);
      const { spans } = await box.until('POST /api/v1/me/apps');
      const calls = spans.filter(({ name }) => name.endsWith(' apigee'));
      expect(calls.length).toBeGreaterThan(1);
      expect(seen).toEqual(calls.map(({ id }) => [`00-${TRACE}-${id}-01`, undefined]));
      expect(calls.at(-1)?.facts).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 200 });
      const [{ consumer_key: key }] = made.json.data.credentials;
      expect(JSON.stringify(spans)).not.toMatch(
        new RegExp(`${ada.user.email}|${key}|${encodeURIComponent(ada.user.email)}`),
      );
    } finally {
      await far.stop();
      between.close();
      await fake.stop();
    }
  });
});

describe('a portal inside a traced host', () => {
  it('adds what it did to the span that the host began', async () => {
    const tracer = trace.getTracer('host');
    const host = await TestClient.start((request, response) => {
      const span = tracer.startSpan('GET');
      context.with(trace.setSpan(context.active(), span), () => test.portal.handler(request, response));
      response.once('close', () => span.end());
    });
    await host.get('/api/v1/api-products', { headers: { traceparent: TRACEPARENT } });
    const { span: own } = await box.until('GET');
    await host.get('/api/v1/api-products');
    const { span, spans } = await box.until('GET /api/v1/api-products');
    expect(span).toMatchObject({ kind: 'INTERNAL' });
    expect([own.trace === TRACE, spans.some(({ id }) => id === span.parent)]).toEqual([false, true]);
    await host.close();
  });
});

describe('spans (S69)', () => {
  it('hold no address, token, password or cookie of anybody', async () => {
    const password = 'correct horse 4711 battery';
    const person = { first_name: 'Canaria', last_name: 'Byron', email: 'canary@example.com' };
    const { client } = test;
    const post = (path: string, body: unknown, token?: string) =>
      client.post(`/api/v1${path}`, body, token === undefined ? {} : { token });
    await post('/auth/register', { ...person, password, password_confirmation: password });
    await post('/auth/login', { email: person.email, password: 'canary wrong' });
    const { data } = (await post('/auth/login', { email: person.email, password })).json;
    const next = (await post('/auth/refresh', { refresh_token: data.refresh_token })).json.data;
    const { data: app } = (await post('/me/apps', { name: 'canary', products: ['weather'] }, next.access_token)).json;
    const [{ consumer_key: key, consumer_secret: secret }] = app.credentials;
    await client.get('/gateway/verify/weather', { headers: { 'x-api-key': key } });
    await client.get(`/gateway/verify?apikey=${key}`);
    await post('/auth/forgot-password', { email: person.email });
    const mails = await mailbox.take(test, person.email);
    const tokens = mails.map(tokenOf).filter(Boolean);
    const page = new PageClient(client);
    for (const token of tokens) {
      await page.get(`/portal/reset-password/${token}`);
      await page.get(`/portal/verify-email/${token}?again=${token}`);
    }
    await page.submit('/portal/login', { email: person.email, password });
    await client.get(`/portal/products?email=${person.email}`);
    await client.get('/api/v1/config');
    const { spans } = await box.until('GET /api/v1/config');
    const told = JSON.stringify(spans);
    const secrets = [password, next, data, app, tokens, [...page.cookies.values()]].flatMap(textsOf);
    expect([spans.length > 100, tokens.length, secrets.length > 10]).toEqual([true, 1, true]);
    expect(told).toContain('/portal/reset-password/{token}');
    const people = ['canary@example.com', 'Canaria', 'canary wrong', key, secret, '127.0.0.1'];
    expect([...secrets, ...people].filter((item) => told.includes(item))).toEqual([]);
  });
});

/** The values that only their holder may know. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 15 ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, item]) => (/name|type|_at$|url/.test(name) ? [] : textsOf(item)));
}
