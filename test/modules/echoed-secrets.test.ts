import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { GatewayRefusedError } from '../../src/gateway/index.js';
import { createLogger } from '../../src/core/index.js';
import { MailRefusedError } from '../../src/mail/index.js';
import { createProduct } from '../support/factories.js';
import { Developer } from '../support/apps.js';
import { MemoryGateway } from '../support/memory-gateway.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../support/test-portal.js';
import { ApiJourney, CLIENT, HostileIdp, isUser, startOidcPortal } from './oidc/support.js';

const CANARY = 'canary-0123456789-of-somebody-else';
const TOKEN = 'canary-0123456789-of-the-management-api';

let log = '';
const logger = createLogger('debug', { write: (line: string) => void (log += line) });
/** Values that a backend was sent and says again; none of them may be in the log. */
const sent = new Set<string>();
let server: Server;
let url: string;
/** What the backend makes of a request whose secrets it repeats. */
let answer: (response: ServerResponse, echo: string) => void;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
let test: TestPortal | undefined;
afterEach(async () => {
  await test?.stop();
  test = undefined;
  log = '';
  asked.length = 0;
  sent.clear();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { authorization = '' } = request.headers;
  asked.push(`${request.method} ${request.url}`);
  for (const secret of [authorization.replace(/^\w+ /, ''), ...(body.match(/[\w-]{24,}/g) ?? [])]) sent.add(secret);
  answer(response, `${authorization} ${body} ${CANARY}`);
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** In the forms of X and of Edge, in codes as well as in sentences. */
const echoes: [string, (response: ServerResponse, echo: string) => void][] = [
  ...[400, 401, 403, 404, 409, 429, 500, 503].map((status): [string, typeof answer] => [
    `${status} of X`,
    (response, echo) => json(response, status, { error: { code: status, message: echo, status: echo } }),
  ]),
  ['500 of Edge', (response, echo) => json(response, 500, { code: echo, message: echo })],
  [
    '400 of a proxy',
    (response, echo) => json(response, 400, { fault: { faultstring: echo, detail: { errorcode: echo } } }),
  ],
  [
    'half of an answer',
    (response, echo) => response.writeHead(200, { 'content-type': 'application/json' }).end(`${echo} {`),
  ],
  ['less than an answer', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(CANARY)],
  ['an error of OAuth', (response, echo) => json(response, 400, { error: CANARY, error_description: echo })],
  ['something else', (response, echo) => json(response, 200, { [echo]: echo })],
  ['text', (response, echo) => response.writeHead(502, { 'content-type': `text/plain; ${CANARY}` }).end(echo)],
];

function expectSilence(): void {
  expect(log).not.toContain('canary-0123456789');
  for (const secret of sent) if (secret.length >= 24) expect(log).not.toContain(secret);
}

async function createAppAt(options: TestPortalOptions): Promise<number> {
  test = await startTestPortal({ logger, ...options });
  await createProduct(test, { slug: 'one', gatewayProductId: 'gw-one' });
  const ada = await Developer.create(test);
  const { status } = await ada.post('', { name: 'shop', products: ['one'] });
  await test.portal.services.apps.recovery.run();
  return status;
}

describe('what a gateway says', () => {
  const apigee = (settings: object) => ({
    config: { gateway: { driver: 'apigee', apigee: { organization: 'acme', endpoint: url, ...settings } } },
  });

  it.each(echoes)('never reaches the log: Apigee with %s', async (_what, reply) => {
    answer = reply;
    const status = await createAppAt(apigee({ platform: 'x', token: TOKEN }));
    expect([status >= 409, asked.length > 0]).toEqual([true, true]);
    if (status >= 500) expect(log).toMatch(/developers/);
    expectSilence();
  });

  it.each(echoes)('never reaches the log: its token endpoint with %s', async (_what, reply) => {
    answer = reply;
    const settings = { platform: 'edge', username: 'portal', password: `${CANARY}-password`, tokenUrl: `${url}/token` };
    expect(await createAppAt(apigee(settings))).toBeGreaterThanOrEqual(500);
    expectSilence();
  });

  it('still leaves status and code', async () => {
    answer = (response, echo) =>
      json(response, 400, { code: 'keymanagement.service.InvalidValueForExpiresIn', message: echo });
    await createAppAt(apigee({ platform: 'edge', username: 'portal', password: `${CANARY}-password` }));
    expect(log).toContain('400 keymanagement.service.InvalidValueForExpiresIn');
    expectSilence();
  });

  const failures: [string, () => Error][] = [
    [
      'an error of its client',
      () => Object.assign(new Error(`502 ${CANARY}`), { code: 'ERR_BAD_RESPONSE', status: 502 }),
    ],
    ['an error of the contract with such a cause', () => new GatewayRefusedError({ cause: new Error(CANARY) })],
    ['an object for a cause', () => new GatewayRefusedError({ cause: { data: { echoed: CANARY } } })],
    ['broken JSON', () => new SyntaxError(`Unexpected token 'c', "${CANARY}" is not valid JSON`)],
    ['several at once', () => new AggregateError([new Error(CANARY)], CANARY)],
  ];
  it.each(failures)('never reaches the log: a driver of the host with %s', async (_what, failure) => {
    const memory = new MemoryGateway();
    const apps = { ...memory.apps, create: () => Promise.reject(failure()) };
    Object.assign(memory, { apps });
    const options = {
      config: { gateway: { driver: 'memory' } },
      extensions: { gatewayDrivers: { memory: () => memory } },
    };
    expect(await createAppAt(options)).toBeGreaterThanOrEqual(500);
    expect(log).toContain('a request failed');
    // Where it happened is told.
    expect(log).toContain('echoed-secrets.test');
    expectSilence();
  });
});

describe('what a mail server says', () => {
  it.each([
    ['for now', () => Object.assign(new Error(`451 ${CANARY}`), { code: 'EENVELOPE', responseCode: 451 })],
    ['for good', () => new MailRefusedError(`550 ${CANARY}`, { cause: new Error(CANARY) })],
  ])('never reaches the log: %s', async (_what, failure) => {
    const mailer = { send: () => Promise.reject(failure()) };
    test = await startTestPortal({ logger, extensions: { mailer: () => mailer } });
    const developer = await Developer.create(test);
    await test.client.post('/api/v1/auth/forgot-password', { email: developer.user.email });
    await test.portal.background.flush();
    await test.portal.jobs.run('mail');
    expect(log).toMatch(/a mail (could not be|was not) delivered/);
    expectSilence();
  });
});

describe('what an identity provider says', () => {
  it.each([
    ['an error', 400, { error: CANARY, error_description: CANARY }],
    ['an error of its own', 500, { error: CANARY }],
    ['no token', 200, { [CANARY]: CANARY }],
    ['a token that is none', 200, { access_token: CANARY, token_type: 'Bearer', id_token: `${CANARY}.e30.x` }],
  ])('never reaches the log: %s', async (_what, statusCode, body) => {
    const idp = await HostileIdp.start();
    const portal = await startOidcPortal({ main: { issuer: idp.url } }, { logger });
    try {
      idp.behave(isUser('ada@example.com'));
      idp.respond = (response) => Object.assign(response, { statusCode, body });
      expect((await new ApiJourney(portal).whole()).status).toBeGreaterThanOrEqual(401);
      expect(log).toContain('the identity provider main');
      expectSilence();
      expect(log).not.toContain(CLIENT.clientSecret);
    } finally {
      await portal.stop();
      await idp.stop();
    }
  });
});
