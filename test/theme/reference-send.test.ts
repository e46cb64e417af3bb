import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addKey, isServer } from '../../src/domain/apps/call-rules.js';
import { HARBOUR } from '../support/documents.js';
import { EchoApi } from '../support/echo-api.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const SEND = '/portal/products/harbour/spec/send';
/** An origin that is allowed, but leads to a network that nobody allowed. */
const METADATA = 'http://169.254.169.254';

let test: TestPortal;
let api: EchoApi;
let odd: Server;
let oddOrigin: string;
let user: Awaited<ReturnType<typeof createUser>>;
let page: PageClient;
let credential: number;

beforeAll(async () => {
  api = await EchoApi.start();
  odd = createServer((request, response) => {
    if (request.url === '/slow') return;
    if (request.url === '/large') return void response.end('x'.repeat(200_000));
    const key = String(request.headers['x-harbour-key']);
    const cookies = ['portal=evil; Path=/', 'a=b'];
    response.writeHead(302, { 'Set-Cookie': cookies, Location: `${METADATA}/`, 'X-Echo': key, 'X-Odd': '<script>' });
    response.end(`you sent ${key}`);
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  oddOrigin = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
  test = await startTestPortal({
    config: {
      catalog: {
        tryItProxy: { origins: [api.origin, oddOrigin, METADATA], maxBytes: 100_000, timeout: 1, perMinute: 40 },
      },
      outbound: { allow: ['127.0.0.1'] },
    },
  });
  const servers = [{ url: `${api.origin}/v2` }, { url: oddOrigin }];
  await createProduct(test, { slug: 'harbour', name: 'Harbour' }, { ...HARBOUR, servers });
  user = await createUser(test);
  const input = { name: 'shop', displayName: 'Shop', description: '', products: ['harbour'] };
  await test.portal.services.apps.apps.create(user, input, { type: 'developer', id: user.id });
  page = await signedIn(user.email);
  const { html } = await page.get('/portal/products/harbour/spec');
  credential = Number(/&quot;keys&quot;:\[\{&quot;id&quot;:(\d+)/.exec(html)?.[1]);
});
afterAll(async () => {
  await test.stop();
  await api.close();
  odd.closeAllConnections();
  odd.close();
});

async function signedIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}

async function upload({ cookieHeader: cookie }: PageClient, path: string, form: FormData, to = test) {
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? '';
  const raw = Buffer.from(await response.arrayBuffer());
  const { status, text } = await to.client.send('POST', path, { raw, type, headers: { cookie, accept: 'text/html' } });
  return { status, html: text };
}

interface Call {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: unknown;
  readonly credential?: unknown;
}

/** As the script of the page sends it. */
async function send(
  call: Call | string,
  { by = page, body, token }: { by?: PageClient; body?: string; token?: string } = {},
) {
  const form = new FormData();
  const _csrf = token ?? (await by.csrf('/portal/products/harbour/spec'));
  if (_csrf !== '') form.set('_csrf', _csrf);
  const whole =
    typeof call === 'string'
      ? call
      : JSON.stringify({ method: 'GET', url: `${api.origin}/v2/berths`, headers: [], ...call });
  form.set('call', whole);
  if (body !== undefined) form.set('body', new Blob([body]), 'body');
  const answer = await upload(by, SEND, form);
  return {
    status: answer.status,
    text: answer.html,
    json: answer.html.startsWith('{') ? JSON.parse(answer.html) : null,
  };
}
const bodyOf = ({ json }: { json: { body: string } }) => Buffer.from(json.body, 'base64').toString();

describe('the server that a key goes to', () => {
  it.each([
    ['https://a.example', 'https://a.example/v1', true],
    ['https://a.example', 'https://A.example:443/v1', true],
    ['https://a.example', 'https://b.example/https://a.example', false],
    ['https://a.example', 'https://a.example.evil.example', false],
    ['https://eu.a.example', 'https://{region}.a.example/{base}', true],
    ['https://evil.example', 'https://{region}.a.example', false],
    ['https://a.example', '/v1', false],
    ['https://a.example', `https://${'{x}a'.repeat(600)}!`, false],
  ])('%s is one of %s: %s', (origin, url, is) => {
    expect(isServer(origin, [{ url }])).toBe(is);
  });

  it('is asked with the key in its query and the rest as it was', () => {
    const address = new URL('https://a.example/?a=b%20c');
    addKey('k&y', { type: 'apiKey', in: 'query', param: 'api key' } as never, address, {});
    expect(address.href).toBe('https://a.example/?a=b%20c&api%20key=k%26y');
  });
});

describe('requests that the portal sends for developers', () => {
  it('carry the key that the portal adds, and nothing of the portal', async () => {
    const headers = [
      ['X-Mine', 'ü'],
      ['Cookie', 'portal=1'],
      ['X-Forwarded-For', '10.0.0.1'],
      ['Host', 'evil.example'],
      ['Origin', 'https://x.example'],
    ];
    const answer = await send(
      { method: 'POST', headers, credential: { id: credential, scheme: 'key' } },
      { body: '\u0000bytes' },
    );
    expect([answer.status, answer.json.code]).toEqual([200, 200]);
    const call = api.calls.at(-1);
    expect([call?.method, call?.url, call?.body]).toEqual(['POST', '/v2/berths', '\u0000bytes']);
    expect(call?.headers).toMatchObject({ 'x-mine': 'ü', host: new URL(api.origin).host, 'user-agent': 'portalkit' });
    for (const name of ['cookie', 'x-forwarded-for', 'origin', 'referer']) expect(call?.headers[name]).toBeUndefined();
    const [hint] = await test.portal.database.select<{ key_hint: string }>('SELECT key_hint FROM portal_credentials');
    expect(String(call?.headers['x-harbour-key']).slice(0, 4)).toBe(hint?.key_hint.slice(0, 4));
    expect(answer.text).not.toContain(String(call?.headers['x-harbour-key']));
  });

  it('show of an answer neither cookies nor the key, and follow no redirect', async () => {
    const answer = await send({ url: `${oddOrigin}/away`, credential: { id: credential, scheme: 'key' } });
    expect(answer.json.code).toBe(302);
    const names = answer.json.headers.map(([name]: [string]) => name);
    expect(names).toEqual(expect.arrayContaining(['location', 'x-odd']));
    expect(names).not.toContain('set-cookie');
    expect(answer.json.headers).toContainEqual(['x-echo', '****']);
    expect(bodyOf(answer)).toBe('you sent ****');
  });

  it.each([
    ['another origin', { url: 'https://other.example/' }],
    ['a prefix that only looks allowed', { url: 'http://127.0.0.1.evil.example/' }],
    ['a user name', { url: 'http://user@127.0.0.1/' }],
    ['another scheme', { url: 'file:///etc/passwd' }],
    ['no address', { url: '/v2' }],
    ['an allowed name that leads to the network of the host', { url: `${METADATA}/latest/meta-data` }],
    ['another method', { method: 'CONNECT' }],
    ['a header that adds another', { headers: [['X-A', 'a\r\nHost: evil']] }],
    ['a name that is no header', { headers: [['X A', 'a']] }],
    ['headers of another shape', { headers: [['X-A', 1]] }],
    ['too many headers', { headers: Array.from({ length: 61 }, (_none, at) => [`X-${at}`, '']) }],
    ['a key of another shape', { credential: 'all' }],
  ])('are not sent to or with %s', async (_what, call) => {
    const before = api.calls.length;
    const answer = await send(call);
    expect(answer.json).toEqual({ failure: 'refused' });
    expect(api.calls.length).toBe(before);
  });

  it('are refused as garbage, too large, or too slow', async () => {
    for (const call of ['', '[]', '{', '{"__proto__":{"method":"GET"}}', 'x'.repeat(60_001)]) {
      expect((await send(call)).json).toEqual({ failure: 'refused' });
    }
    expect((await send({ url: `${oddOrigin}/large` })).json).toEqual({ failure: 'too-large' });
    expect((await send({ url: `${oddOrigin}/slow` })).json).toEqual({ failure: 'too-slow' });
    expect((await send({ method: 'POST' }, { body: 'x'.repeat(100_001) })).status).toBe(413);
  });

  it('carry a key only where the document says, and only of whom it is', async () => {
    const wrong = await send({ credential: { id: credential, scheme: 'token' } });
    expect(wrong.json).toEqual({ failure: 'no-key' });
    expect((await send({ credential: { id: credential, scheme: 'constructor' } })).json).toEqual({ failure: 'no-key' });
    expect((await send({ url: `${METADATA}/`, credential: { id: credential, scheme: 'key' } })).json).toEqual({
      failure: 'no-key',
    });
    const other = await createUser(test);
    const theirs = await signedIn(other.email);
    expect((await send({ credential: { id: credential, scheme: 'key' } }, { by: theirs })).status).toBe(404);
  });

  it('need a sign-in, the token of the page, and a product that the account may see', async () => {
    const before = api.calls.length;
    expect((await send({}, { token: '' })).status).toBe(403);
    const guest = new PageClient(test.client);
    expect((await send({}, { by: guest, token: 'x' })).status).not.toBe(200);
    await createProduct(test, { slug: 'secret', name: 'Secret', visibility: 'private' }, HARBOUR);
    const form = new FormData();
    form.set('_csrf', await page.csrf('/portal/products/harbour/spec'));
    form.set('call', '{}');
    expect((await upload(page, SEND.replace('harbour', 'secret'), form)).status).toBe(404);
    expect(api.calls.length).toBe(before);
  });

  it('are recorded without address, body or key', async () => {
    await send(
      {
        method: 'PUT',
        url: `${api.origin}/v2/ships/s3cret?token=s3cret`,
        credential: { id: credential, scheme: 'key' },
      },
      { body: 's3cret' },
    );
    const rows = await test.portal.database.select<{ action: string; changes: unknown }>(
      "SELECT * FROM portal_activities WHERE action = 'product.tried' ORDER BY id DESC LIMIT 1",
    );
    const text = JSON.stringify(rows);
    expect(text).toContain('PUT');
    expect(text).toContain(api.origin);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(String(api.calls.at(-1)?.headers['x-harbour-key']));
  });

  it('are limited for each account', async () => {
    const fresh = await createUser(test);
    const theirs = await signedIn(fresh.email);
    const token = await theirs.csrf('/portal/products/harbour/spec');
    const statuses: number[] = [];
    for (let count = 0; count < 41; count += 1)
      statuses.push((await send({ url: 'https://no.example/' }, { by: theirs, token })).status);
    expect(statuses.slice(0, 40).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});

it('no requests are sent unless the operator says so', async () => {
  const plain = await startTestPortal();
  await createProduct(plain, { slug: 'harbour', name: 'Harbour' }, HARBOUR);
  const member = await createUser(plain);
  const client = new PageClient(plain.client);
  await client.submit('/portal/login', { email: member.email, password: PASSWORD });
  const form = new FormData();
  form.set('_csrf', await client.csrf('/portal/products/harbour/spec'));
  form.set('call', JSON.stringify({ method: 'GET', url: 'https://example.com', headers: [] }));
  expect((await upload(client, SEND, form, plain)).status).toBe(404);
  await plain.stop();
});
