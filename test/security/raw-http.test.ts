import { startServer, type RunningServer } from '../../src/http/index.js';
import { MOST_UNANSWERED } from '../../src/http/in-turn.js';
import { SERVER_TIMEOUTS } from '../../src/http/server.js';
import { createProduct } from '../support/factories.js';
import { exchange, onlyAnswer, type RawAnswer } from '../support/raw-http.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LIST = '/api/v1/api-products?per_page=1';
const LOGIN = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
const HEALTH = 'GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n';
const SMUGGLED = 'GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
const HERE = { host: '127.0.0.1', port: 0, onDrain: () => undefined };

let test: TestPortal;
let server: RunningServer;

beforeAll(async () => {
  test = await startTestPortal({ config: { app: { url: 'https://portal.example', allowedHosts: ['127.0.0.1'] } } });
  await createProduct(test, { slug: 'one' });
  await createProduct(test, { slug: 'two' });
  server = await startServer(test.portal.handler, HERE);
});
afterAll(async () => {
  await server.close();
  await test.stop();
});

const send = async (bytes: string): Promise<RawAnswer> => onlyAnswer(await exchange(server.address.port, bytes));

function expectRefusal(answer: RawAnswer, status: number): void {
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    { success: false, status, message: expect.any(String), errors: {}, meta: null },
  ]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  // Neither a stack nor a path of the program nor the name of a tool (S50).
  expect(JSON.stringify(answer)).not.toMatch(/\bat .*:\d+|node_modules|dist|express|<html/i);
}

describe('bytes that two servers could read in two ways', () => {
  it.each([
    [
      'Content-Length and Transfer-Encoding',
      `${LOGIN}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${LOGIN}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['two lengths', `${LOGIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ${SMUGGLED}`],
    ['a list of lengths', `${LOGIN}Content-Length: 2, 2\r\n\r\n{}${SMUGGLED}`],
    ['a signed length', `${LOGIN}Content-Length: +2\r\n\r\n{}${SMUGGLED}`],
    ['a length that is no number', `${LOGIN}Content-Length: 0x2\r\n\r\n{}${SMUGGLED}`],
    ['an unknown transfer coding', `${LOGIN}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunked that is not the last coding', `${LOGIN}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a space before the colon', `${LOGIN}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a chunk size that is no number', `${LOGIN}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${SMUGGLED}`],
    ['a folded header', `${HEALTH}X-A: b\r\n c: d\r\n\r\n`],
    ['a bare line feed', 'GET /api/v1/health HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n\n'],
    ['a bare carriage return in a header', `${HEALTH}X-A: b\rX-B: c\r\n\r\n`],
    ['a NUL in a header', `${HEALTH}X-A: b\0c\r\n\r\n`],
    ['a NUL in the target', 'GET /api/v1/health\0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['bytes beyond ASCII in the target', 'GET /api/v1/é HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['what is not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['no Host', `GET ${LIST} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['two of them', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`],
    ['one of them twice', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: 127.0.0.1\r\nConnection: close\r\n\r\n`],
    ['a list of them', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1, evil.example\r\nConnection: close\r\n\r\n`],
    ['a Host with a path', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1/x\r\nConnection: close\r\n\r\n`],
    ['a Host with a user', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1:x@evil.example\r\nConnection: close\r\n\r\n`],
    ['no version', `GET ${LIST}\r\n\r\n`],
    ['HTTP/1.0 without Host', `GET ${LIST} HTTP/1.0\r\n\r\n`],
  ])('are refused once and in the envelope: %s', async (_name, bytes) => {
    expectRefusal(await send(bytes), 400);
  });

  it('are refused when the head is too large, and before it is read to its end', async () => {
    expectRefusal(await send(`${HEALTH}X-A: ${'b'.repeat(17_000)}\r\n\r\n`), 431);
    expectRefusal(await send(`${HEALTH}${'X-A: b\r\n'.repeat(5_000)}\r\n`), 431);
    expectRefusal(await send(`GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`), 431);
  });

  it('never make a request of the body that nobody read', async () => {
    const length = SMUGGLED.length;
    const unread = [
      `POST /api/v1/me/password HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length + 10}\r\n\r\n${SMUGGLED}`,
      `POST /api/v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length + 10}\r\n\r\n${SMUGGLED}`,
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${SMUGGLED}\r\n`,
    ];
    const answers = await Promise.all(unread.map(send));
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [401, 'close'],
      [404, 'close'],
      [415, 'close'],
    ]);
  });

  it('hide nothing in the body of a GET', async () => {
    const { status } = await send(`${HEALTH}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`);
    expect(status).toBe(200);
  });
});

describe('the target of a request', () => {
  it.each([
    ['a foreign host', `http://evil.example${LIST}`, 400],
    ['a host that does not parse', `http://[${LIST}`, 400],
    ['another scheme with one', 'foo://[', 400],
    ['our host with a user', `http://127.0.0.1@evil.example${LIST}`, 400],
    ['nothing but a foreign host', 'http://evil.example', 400],
    ['two slashes', '//evil.example/%2e%2e', 404],
    ['broken escapes', '/api/v1/api-products/%zz', 400],
    ['all of the server', '*', 404],
  ])('with %s is answered in the envelope', async (_name, target, status) => {
    for (const method of ['GET', 'OPTIONS']) {
      expectRefusal(await send(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`), status);
    }
  });

  it('in the absolute form is the same as its path; links come from app.url alone (S47)', async () => {
    for (const target of [LIST, `http://127.0.0.1${LIST}`, `HTTPS://127.0.0.1:3000${LIST}`]) {
      const answer = await send(
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-Host: evil.example\r\n` +
          'X-Forwarded-Proto: http\r\nForwarded: host=evil.example\r\nX-Original-URL: /evil\r\nConnection: close\r\n\r\n',
      );
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body).meta.pagination.links.next).toBe(
        'https://portal.example/api/v1/api-products?per_page=1&page=2',
      );
    }
    const forged = `GET http://evil.example${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    expect((await send(forged)).status).toBe(400);
  });
});

describe('a wish that we do not grant', () => {
  it('is refused with the envelope: another expectation', async () => {
    expectRefusal(await send(`${LOGIN}Expect: the-moon\r\nContent-Length: 2\r\n\r\n{}`), 417);
  });

  it('is passed over: another protocol, another method in a header', async () => {
    const upgrade = `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n`;
    expect((await send(upgrade)).status).toBe(200);
    const override = `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-HTTP-Method-Override: DELETE\r\nConnection: close\r\n\r\n`;
    expect((await send(override)).status).toBe(200);
  });

  it('closes the connection: a tunnel', async () => {
    expect(await exchange(server.address.port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')).toBe(
      '',
    );
  });
});

describe('a client that sends thousands of requests at once', () => {
  it('gets no more than a few of them worked on, and its connection closed', async () => {
    const received = await exchange(
      server.address.port,
      `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(2_000),
    );
    expect(received.split('HTTP/1.1 200').length - 1).toBeLessThanOrEqual(MOST_UNANSWERED);
  });
});

describe('slow clients (R31)', () => {
  it('have 15 s for the head and 30 s for the whole, looked at every 2 s', () => {
    expect(SERVER_TIMEOUTS).toMatchObject({
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
    });
  });

  it('are cut off in the head and in the body, while others are served', async () => {
    const timeouts = {
      headersTimeout: 2_000,
      requestTimeout: 2_500,
      connectionsCheckingInterval: 20,
      keepAliveTimeout: 50,
    };
    const strict = await startServer(test.portal.handler, { ...HERE, timeouts });
    const { port } = strict.address;
    const slow = Array.from({ length: 50 }, (_, index) =>
      exchange(port, index % 2 === 0 ? 'GET / HTTP/1.1\r\nX-A: b\r\n' : `${LOGIN}Content-Length: 50\r\n\r\n{`),
    );
    expect(onlyAnswer(await exchange(port, `${HEALTH}\r\n`)).status).toBe(200);
    for (const answer of await Promise.all(slow)) expectRefusal(onlyAnswer(answer), 408);
    await strict.close();
  });
});
