import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveConfig } from '../../../src/config/index.js';
import { silentLogger, type Logger } from '../../../src/core/index.js';
import { oidc, type ProviderInput } from '../../../src/modules/oidc/index.js';
import { ApiJourney, CLIENT, HostileIdp, isUser, startOidcPortal, type OidcPortal } from './support.js';

let idp: HostileIdp;
let bait: Server;
let baitUrl: string;
let connections = 0;
let test: OidcPortal;
const lines: string[] = [];
const logger: Logger = { ...silentLogger, warn: keep, error: keep };
function keep(fields: Record<string, unknown>) {
  if (typeof fields.detail === 'string') lines.push(fields.detail);
}
const portalWith = (input: Partial<ProviderInput> = {}) =>
  startOidcPortal({ main: { issuer: idp.url, ...input } }, { logger });

beforeAll(async () => {
  idp = await HostileIdp.start();
  bait = createServer((_request, response) => response.end('{}'));
  bait.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  test = await portalWith();
  baitUrl = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await test.stop();
  await idp.stop();
  bait.closeAllConnections();
  await new Promise<void>((resolve) => bait.close(() => resolve()));
});
beforeEach(() => {
  idp.behave(isUser('ada@example.com'));
  connections = 0;
  lines.length = 0;
  // What discovery said before is forgotten.
  test.clock.advance(3_601);
});

const ENDPOINTS = ['token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

function name(endpoint: Endpoint, url: string): void {
  idp.metadata = { [endpoint]: url };
  // Only then is the userinfo endpoint asked.
  if (endpoint === 'userinfo_endpoint') Object.assign(idp.claims, { email: undefined, email_verified: undefined });
}

describe('endpoints that a provider names', () => {
  it.each(ENDPOINTS)('%s on this machine is never connected to', async (endpoint) => {
    name(endpoint, `${baitUrl}/`);
    expect((await new ApiJourney(test).whole()).status).toBe(503);
    expect(connections).toBe(0);
    const hint = 'and oidc.providers.main.internalOrigins does not list it';
    expect(lines.join()).toContain(`${baitUrl} is no public https address, ${hint}`);
  });

  const addresses = [
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://[fd00::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    'https://168.63.129.16/',
    'http://93.184.216.34/',
    'https://93.184.216.34:22/',
    'https://user:secret@93.184.216.34/',
  ];
  it.each(addresses)('%s is refused without a connection', async (url) => {
    name('token_endpoint', url);
    expect((await new ApiJourney(test).whole()).status).toBe(503);
    expect(lines.join()).toMatch(/internalOrigins does not list|a user name in the address/);
    expect(lines.join()).not.toContain('secret');
  });

  it('one that the operator lists is connected to', async () => {
    const trusting = await portalWith({ internalOrigins: [baitUrl] });
    try {
      name('token_endpoint', `${baitUrl}/token`);
      expect((await new ApiJourney(trusting).whole()).status).toBe(401);
      expect(connections).toBe(1);
    } finally {
      await trusting.stop();
    }
  });

  it('a redirect away is not followed', async () => {
    idp.respond = (response) => Object.assign(response, { statusCode: 302, body: {} });
    expect((await new ApiJourney(test).whole()).status).toBe(401);
    expect(connections).toBe(0);
  });
});

describe('answers without end', () => {
  it.each(['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'])('%s is cut', async (path) => {
    if (path === '/userinfo') Object.assign(idp.claims, { email: undefined, email_verified: undefined });
    idp.metadata = {};
    idp.endless = path;
    const way = new ApiJourney(test);
    const answer = path.startsWith('/.well-known')
      ? await test.client.get('/api/v1/auth/oidc/redirect')
      : await way.whole();
    expect(answer.status).toBe(503);
    // What the sockets of both sides hold comes on top of the limit.
    expect(idp.sent).toBeLessThan(16 * 1024 * 1024);
    expect(lines.join()).toContain('larger than');
  });
});

describe('internalOrigins', () => {
  it.each([
    ['no origin', ['login.internal']],
    ['a path', ['https://login.internal/oauth']],
    ['plain http elsewhere', ['http://login.internal']],
    ['a network', ['10.0.0.0/8']],
  ])('%s is a fault', (_what, internalOrigins) => {
    const app = { key: `base64:${Buffer.alloc(32, 7).toString('base64')}`, env: 'test' };
    const portalApi = { jwtSecret: 'a secret that is longer than thirty-two bytes' };
    const providers = { a: { ...CLIENT, issuer: 'https://idp.example.com', internalOrigins } };
    const definition = { app, portalApi, oidc: { providers }, modules: [oidc] };
    expect(() => resolveConfig({ definition })).toThrow('oidc.providers.a.internalOrigins');
  });
});
