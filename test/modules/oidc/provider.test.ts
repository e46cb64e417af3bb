import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { resolveConfig } from '../../../src/config/index.js';
import { oidc } from '../../../src/modules/oidc/index.js';
import { PageClient } from '../../support/page-client.js';
import { startTestPortal } from '../../support/test-portal.js';
import { ApiJourney, CLIENT, startOidcPortal, type OidcPortal } from './support.js';

const PERSON = { email: 'ada@example.com', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };

let server: Server;
let issuer: string;
let test: OidcPortal;
beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test = await startOidcPortal({ real: { issuer, label: 'Real', admins: {} } });
  // It has much to say about keys and stores that a test may do without.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${test.portal.parts.address.base()}/portal/login/oidc/real/callback`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    // Pushed to the userinfo endpoint, as the standard says.
    conformIdTokenClaims: true,
    findAccount: (_context, id) => ({ accountId: id, claims: () => Promise.resolve({ sub: id, ...PERSON }) }),
    pkce: { required: () => true },
    cookies: { keys: ['for this test'] },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await test.stop();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Somebody with a browser at the provider: logs in, consents, and is sent back. */
async function visitProvider(start: URL): Promise<URL> {
  const jar = new Map<string, string>();
  let [url, init]: [URL, RequestInit] = [start, {}];
  for (let step = 0; step < 20; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== issuer) return next;
      [url, init] = [next, {}];
      continue;
    }
    const html = await answer.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? '';
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? '';
    const form = new URLSearchParams({ prompt, login: 'ada', password: 'any' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    [url, init] = [new URL(action, url), { method: 'POST', body: form.toString(), headers }];
  }
  throw new Error('the provider did not send back');
}

describe('with a real provider', () => {
  it('the whole way through the API, with no more than code and state', async () => {
    const way = new ApiJourney(test);
    const back = await visitProvider(await way.begin());
    expect(back.searchParams.get('iss')).toBe(issuer);
    const answer = await way.finish(back, { iss: undefined });
    expect([answer.status, answer.json.message]).toEqual([200, 'Logged in.']);
    const me = await test.client.get('/api/v1/me', { token: answer.json.data.access_token });
    expect(me.json.data).toMatchObject({ email: 'ada@example.com', first_name: 'Ada' });
  });

  it('a wrong issuer in the answer is refused', async () => {
    const way = new ApiJourney(test);
    const back = await visitProvider(await way.begin());
    expect((await way.finish(back, { iss: 'https://evil.example' })).status).toBe(401);
  });

  it('among several providers an answer without the promised issuer is refused (S83)', async () => {
    const several = await startOidcPortal({ real: { issuer }, second: { issuer: 'http://127.0.0.1:1' } });
    try {
      const way = new ApiJourney(several, { provider: 'real' });
      expect((await way.finish(await visitProvider(await way.begin()), { iss: undefined })).status).toBe(401);
      expect((await way.finish(await visitProvider(await way.begin()))).status).toBe(200);
    } finally {
      await several.stop();
    }
  });

  it('the whole way in the browser, to where one wanted to go, under a new session', async () => {
    const page = new PageClient(test.client);
    const login = await page.get('/portal/login?return_to=%2Fportal%2Fapps');
    const link = /href="(\/portal\/login\/oidc\/real[^"]*)"/.exec(login.html)?.[1] ?? '';
    expect(login.html).toContain('Sign in with Real');
    const start = await page.get(link.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='), { follow: false });
    expect(start.status).toBe(303);
    const back = await visitProvider(new URL(start.headers.get('location') ?? ''));
    const stranger = new PageClient(test.client);
    expect((await stranger.get(back.pathname + back.search)).status).toBe(422);
    const done = await page.get(back.pathname + back.search, { follow: false });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/portal/apps']);
    expect(page.cookies.has('portal-oidc')).toBe(false);
    expect((await page.get('/portal/profile')).html).toContain('ada@example.com');
    // The address once more opens nothing.
    expect((await page.copy().get(back.pathname + back.search)).status).toBe(422);
  });

  it('who says no at the provider is told so', async () => {
    const page = new PageClient(test.client);
    const start = await page.get('/portal/login/oidc/real', { follow: false });
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const denied = await page.get(`/portal/login/oidc/real/callback?error=access_denied&state=${state}`);
    expect([denied.status, denied.html]).toEqual([200, expect.stringContaining('Nothing has changed')]);
  });

  it('a signed-in developer links and unlinks an identity, and is asked first', async () => {
    const page = new PageClient(test.client);
    const password = 'correct horse battery staple';
    const fields = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', password };
    await page.submit('/portal/register', { ...fields, password_confirmation: password });
    // Nobody has proved yet that the address is theirs.
    const before = (await page.get('/portal/settings/sign-in')).html;
    expect([before.includes('/portal/login/oidc/real'), before.includes('/portal/verify-email')]).toEqual([
      false,
      true,
    ]);
    const unproved = await page.get('/portal/login/oidc/real', { follow: false });
    expect([unproved.status, unproved.html]).toEqual([409, expect.stringContaining('Confirm your e-mail address')]);
    expect(unproved.html).toContain('Nothing was linked');
    const prove = 'UPDATE portal_users SET email_verified_at = ? WHERE email = ?';
    await test.portal.database.execute(prove, [test.clock.now(), fields.email]);
    expect((await page.get('/portal/settings/sign-in')).html).toContain('/portal/login/oidc/real');
    const start = await page.get('/portal/login/oidc/real', { follow: false });
    const back = await visitProvider(new URL(start.headers.get('location') ?? ''));
    const asked = await page.get(back.pathname + back.search);
    expect(asked.html).toContain('ada@example.com');
    const token = /name="identity" value="([^"]+)"/.exec(asked.html)?.[1] ?? '';
    const csrf = await page.csrf('/portal/settings/sign-in');
    // The identity belongs to Ada since she signed up with it.
    const taken = await page.post('/portal/settings/sign-in/link', { _csrf: csrf, identity: token });
    expect(taken.status).toBe(409);
    const identity = `${token.slice(0, -8)}AAAAAAAA`;
    const forged = await page.post('/portal/settings/sign-in/link', { _csrf: csrf, identity });
    expect(forged.status).toBe(422);
    await test.portal.database.execute('DELETE FROM portal_oidc_identities');
    const linked = await page.post('/portal/settings/sign-in/link', { _csrf: csrf, identity: token });
    expect(linked.html).toContain('opens your account from now on');
    const removed = await page.submit(
      '/portal/settings/sign-in',
      {},
      { action: '/portal/settings/sign-in/real/unlink' },
    );
    expect(removed.html).toContain('does not open your account any more');
    for (const locale of ['en', 'ar']) {
      const { html } = await page.get(`/portal/settings/sign-in?locale=${locale}`);
      expect(html).not.toMatch(/oidc[-.][a-z-]+\.[a-z]/);
    }
  });
});

describe('configuration', () => {
  it('none configured is valid: the endpoints are there and know no provider', async () => {
    const empty = await startOidcPortal({});
    try {
      expect((await empty.client.get('/api/v1/auth/oidc/redirect')).status).toBe(404);
      expect((await empty.client.get('/api/v1/config')).json.data.features).toMatchObject({ oidc: true });
      const page = new PageClient(empty.client);
      expect((await page.get('/portal/login')).html).not.toContain('/login/oidc/');
      expect((await page.get('/portal/login/oidc/real')).status).toBe(404);
    } finally {
      await empty.stop();
    }
  });

  it('nothing of it exists without the module', async () => {
    const plain = await startTestPortal();
    try {
      const answer = await plain.client.get('/api/v1/auth/oidc/redirect');
      expect([answer.status, answer.json.message]).toEqual([404, 'Route not found.']);
      expect((await plain.client.get('/api/v1/config')).json.data.features).toMatchObject({ oidc: false });
      await expect(plain.portal.database.select('SELECT 1 FROM portal_oidc_identities')).rejects.toThrow();
    } finally {
      await plain.stop();
    }
  });

  const good = { ...CLIENT, issuer: 'https://idp.example.com' };
  it.each([
    ['plain http elsewhere', { a: { ...good, issuer: 'http://idp.example.com' } }, 'oidc.providers.a.issuer'],
    [
      'http of a name that looks like loopback',
      { a: { ...good, issuer: 'http://127.0.0.1.evil.example' } },
      'oidc.providers.a.issuer',
    ],
    ['no issuer', { a: CLIENT }, 'oidc.providers.a.issuer'],
    ['an unknown field', { a: { ...good, clientsecret: 'x' } }, 'oidc.providers.a.clientsecret'],
    ['a symmetric algorithm', { a: { ...good, algorithms: ['HS256'] } }, 'oidc.providers.a.algorithms.0'],
    ['scopes without openid', { a: { ...good, scopes: ['email'] } }, 'oidc.providers.a.scopes'],
    ['a name for no address', { 'A b': good }, 'oidc.providers.A b'],
    ['one issuer twice', { a: good, b: good }, 'oidc.providers.b.issuer'],
  ])('%s is a fault that is named, without the secret', (_what, providers, path) => {
    const app = { key: `base64:${Buffer.alloc(32, 7).toString('base64')}`, env: 'test' };
    const portalApi = { jwtSecret: 'a secret that is longer than thirty-two bytes' };
    const definition = { app, portalApi, oidc: { providers }, modules: [oidc] };
    expect(() => resolveConfig({ definition })).toThrow(path);
    try {
      resolveConfig({ definition });
    } catch (error) {
      expect(String(error)).not.toContain(CLIENT.clientSecret);
    }
  });
});
