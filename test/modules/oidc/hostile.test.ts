import { generateKeyPairSync, sign } from 'node:crypto';
import type { MutableResponse } from 'oauth2-mock-server';
import { Transactions } from '../../../src/modules/oidc/transactions.js';
import { ApiJourney, CLIENT, forged, HostileIdp, isUser, startOidcPortal, type OidcPortal } from './support.js';

let idp: HostileIdp;
let other: HostileIdp;
let test: OidcPortal;
beforeAll(async () => {
  [idp, other] = [await HostileIdp.start(), await HostileIdp.start()];
  test = await startOidcPortal({ main: { issuer: idp.url }, other: { issuer: other.url } });
});
afterAll(async () => {
  await test.stop();
  await Promise.all([idp.stop(), other.stop()]);
});
let count = 0;
beforeEach(() => {
  count += 1;
  idp.behave(isUser(`ada${count}@example.com`));
  other.behave(isUser(`other${count}@example.com`));
});

const now = () => Math.floor(Date.now() / 1000);
const idToken = ({ body }: MutableResponse) => (body as Record<string, string>).id_token ?? '';
const put = (response: MutableResponse, token: unknown) => {
  response.body = { ...(response.body as Record<string, unknown>), id_token: token };
};
const journey = (provider = 'main') => new ApiJourney(test, { provider });

function signedElsewhere(token: string): string {
  const [, payload = ''] = token.split('.');
  const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'good', typ: 'JWT' })).toString('base64url');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return `${head}.${payload}.${sign('sha256', Buffer.from(`${head}.${payload}`), privateKey).toString('base64url')}`;
}

it('a good answer gets a token pair', async () => {
  const answer = await journey().whole();
  expect([answer.status, answer.json.message]).toEqual([200, 'Logged in.']);
  const me = await test.client.get('/api/v1/me', { token: answer.json.data.access_token });
  expect(me.json.data).toMatchObject({ email: `ada${count}@example.com`, first_name: 'Ada', last_name: 'Lovelace' });
});

describe('answers of a hostile provider (S82–S84)', () => {
  const rows: [string, () => void][] = [
    ['a wrong nonce', () => (idp.claims.nonce = 'another')],
    ['no nonce', () => (idp.claims.nonce = undefined)],
    ['the audience of somebody else', () => (idp.claims.aud = 'another-client')],
    ['several audiences without the authorized party', () => (idp.claims.aud = ['portal', 'another-client'])],
    ['another authorized party', () => Object.assign(idp.claims, { aud: ['portal', 'x'], azp: 'x' })],
    ['another issuer', () => (idp.claims.iss = other.url)],
    ['an issuer that differs by a slash', () => (idp.claims.iss = `${idp.url}/`)],
    ['an expired token', () => Object.assign(idp.claims, { iat: now() - 900, exp: now() - 120 })],
    ['a token of the future', () => Object.assign(idp.claims, { iat: now() + 3_600, exp: now() + 7_200 })],
    ['no expiry', () => (idp.claims.exp = undefined)],
    ['no time of issue', () => (idp.claims.iat = undefined)],
    ['no subject', () => (idp.claims.sub = undefined)],
    ['a list for a subject', () => (idp.claims.sub = ['ada'])],
    ['alg none', () => (idp.respond = (response) => put(response, forged(idToken(response), { alg: 'none' })))],
    [
      'HS256 with the client secret',
      () =>
        (idp.respond = (response) =>
          put(response, forged(idToken(response), { alg: 'HS256', kid: 'good' }, CLIENT.clientSecret))),
    ],
    [
      'the key of somebody else under our key id',
      () => (idp.respond = (response) => put(response, signedElsewhere(idToken(response)))),
    ],
    ['an unknown key id', () => (idp.header.kid = 'unknown')],
    [
      'a changed payload',
      () =>
        (idp.respond = (response) => {
          const [head, , signature] = idToken(response).split('.');
          const claims = { ...isUser('root@example.com'), iss: idp.url, aud: 'portal', exp: now() + 60, iat: now() };
          put(response, `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`);
        }),
    ],
    ['no ID token', () => (idp.respond = (response) => put(response, undefined))],
    ['a number for an ID token', () => (idp.respond = (response) => put(response, 5))],
    [
      'an error',
      () =>
        (idp.respond = (response) => Object.assign(response, { statusCode: 400, body: { error: 'invalid_grant' } })),
    ],
    [
      'a userinfo of somebody else',
      () => {
        Object.assign(idp.claims, { email: undefined, email_verified: undefined });
        idp.userinfo = isUser('root@example.com');
      },
    ],
  ];

  it.each(rows)('%s proves nobody', async (_what, spoil) => {
    spoil();
    const answer = await journey().whole();
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthenticated.']);
    const email = `ada${count}@example.com`;
    expect(await test.portal.services.accounts.users.findByEmail(email)).toBeNull();
  });

  it('an unknown key id does not have the keys read again and again', async () => {
    await journey().whole();
    idp.asked.length = 0;
    idp.header.kid = 'unknown';
    for (let round = 0; round < 3; round += 1) expect((await journey().whole()).status).toBe(401);
    expect(idp.asked.filter((path) => path === '/jwks').length).toBeLessThanOrEqual(1);
  });

  it('takes an address from the userinfo when the ID token has none', async () => {
    const claims = isUser(`userinfo${count}@example.com`);
    Object.assign(idp.claims, { sub: claims.sub, email: undefined, email_verified: undefined });
    idp.userinfo = claims;
    expect((await journey().whole()).status).toBe(200);
  });
});

describe('state, nonce and PKCE (S81, S82)', () => {
  it('the way out carries 256 random bits of state and nonce and an S256 challenge, and never the secrets', async () => {
    const [one, two] = [await journey().begin(), await journey().begin()];
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const [a, b] = [one.searchParams.get(name), two.searchParams.get(name)];
      expect([name, a]).toEqual([name, expect.stringMatching(/^[\w-]{43}$/)]);
      expect(a).not.toBe(b);
    }
    expect(Object.fromEntries(one.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      client_id: 'portal',
      scope: 'openid email profile',
      redirect_uri: expect.stringMatching(/\/portal\/login\/oidc\/main\/callback$/),
    });
    const rows = JSON.stringify(await test.portal.database.select<object>('SELECT * FROM portal_oidc_transactions'));
    for (const value of [one.searchParams.get('state'), one.searchParams.get('nonce')])
      expect(rows).not.toContain(value);
  });

  it('the cookie is bound to the two endpoints, ten minutes, HttpOnly and Lax', async () => {
    const answer = await test.client.get('/api/v1/auth/oidc/redirect');
    expect(JSON.parse(answer.text)).toEqual({ authorization_url: expect.any(String) });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^portal-oidc=[\w-]{43}; Max-Age=600; Path=\/api\/v1\/auth\/oidc; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('belongs to the browser that began, works once, and a stranger does not use it up', async () => {
    const [mine, theirs] = [journey(), journey()];
    const back = await mine.visit(await mine.begin());
    await theirs.begin();
    const state = { state: ['Invalid or expired state.'] };
    for (const cookie of ['', theirs.cookie, 'portal-oidc=x', `portal-oidc=${'A'.repeat(43)}`]) {
      const answer = await mine.finish(back, {}, cookie);
      expect([cookie, answer.status, answer.json.errors]).toEqual([cookie, 422, state]);
    }
    expect((await mine.finish(back)).status).toBe(200);
    expect((await mine.finish(back)).json.errors).toEqual(state);
  });

  it('ten at once: one way ends once', async () => {
    const mine = journey();
    const back = await mine.visit(await mine.begin());
    const answers = await Promise.all(Array.from({ length: 10 }, () => mine.finish(back)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(9);
  });

  it('ten replicas at once: one of them takes it', async () => {
    const transactions = new Transactions(test.portal.parts);
    const at = { context: 'consumer', channel: 'api' } as const;
    const way = { ...at, provider: 'main', redirectUri: 'http://localhost', linkTo: null, returnTo: null };
    const { secrets, browser } = await transactions.begin(way);
    const taken = await Promise.all(Array.from({ length: 10 }, () => transactions.finish(secrets.state, browser, at)));
    expect(taken.filter((outcome) => outcome !== null)).toHaveLength(1);
  });

  it('lasts ten minutes', async () => {
    const mine = journey();
    const back = await mine.visit(await mine.begin());
    test.clock.advance(601);
    expect((await mine.finish(back)).status).toBe(422);
  });

  it('a code of another way, put into mine, opens nothing', async () => {
    const [victim, attacker] = [journey(), journey()];
    const stolen = await victim.visit(await victim.begin());
    const own = await attacker.visit(await attacker.begin());
    const injected = await attacker.finish(own, { code: stolen.searchParams.get('code') });
    expect([injected.status, injected.json.message]).toEqual([401, 'Unauthenticated.']);
  });

  it.each([
    ['no code', { code: undefined }],
    ['no state', { state: undefined }],
    ['a list of codes', { code: ['a'] }],
    ['an object for a state', { state: { $ne: '' } }],
    ['numbers', { code: 1, state: 2 }],
    ['a long code', { code: 'a'.repeat(5_000) }],
  ])('%s is no answer', async (_what, changes) => {
    const mine = journey();
    const answer = await mine.finish(await mine.visit(await mine.begin()), changes);
    expect([answer.status, answer.json.message]).toEqual([422, 'Validation failed.']);
  });

  it('a way of the API does not end in the browser, nor one of developers at the admins', async () => {
    const mine = journey();
    const back = await mine.visit(await mine.begin());
    const { cookie } = mine;
    const headers = { cookie, accept: 'text/html' };
    const page = await test.client.get(`${back.pathname}${back.search}`, { headers });
    expect(page.status).toBe(422);
    const atAdmins = await test.client.post('/api/v1/admin/auth/oidc/callback', Object.fromEntries(back.searchParams), {
      headers: { cookie },
    });
    expect(atAdmins.status).toBe(422);
    expect((await mine.finish(back)).status).toBe(200);
  });
});

describe('several providers (S83)', () => {
  it('the answer of one does not pass for that of another', async () => {
    const [mine, attacker] = [journey('main'), journey('other')];
    const back = await mine.visit(await mine.begin());
    const theirs = await attacker.visit(await attacker.begin());
    // The code of the honest provider would be sent to the hostile one.
    const mixed = await attacker.finish(theirs, { code: back.searchParams.get('code'), iss: idp.url });
    expect(mixed.status).toBe(401);
    expect((await mine.finish(back, { iss: other.url })).status).toBe(401);
    const named = journey('main');
    const wrong = await named.finish(await named.visit(await named.begin()), {}, undefined, '?provider=other');
    expect(wrong.status).toBe(422);
  });

  it('each has a page of its own to lead back to', async () => {
    const [one, two] = [await journey('main').begin(), await journey('other').begin()];
    expect(one.searchParams.get('redirect_uri')).not.toBe(two.searchParams.get('redirect_uri'));
    expect((await test.client.get('/api/v1/auth/oidc/redirect?provider=unknown')).status).toBe(404);
    expect((await test.client.get('/api/v1/auth/oidc/redirect?provider=main&provider=other')).status).toBe(422);
  });

  it('one that calls itself other than the configuration does is not used', async () => {
    const misnamed = await startOidcPortal({ main: { issuer: `${idp.url}/` } });
    try {
      expect((await misnamed.client.get('/api/v1/auth/oidc/redirect')).status).toBe(401);
    } finally {
      await misnamed.stop();
    }
  });
});

describe('a provider that is away', () => {
  it.each(['hangs', 'fails'] as const)('and %s is 503, and asked again', async (mode) => {
    const late = await startOidcPortal({ main: { issuer: idp.url } }, mode === 'hangs' ? { oidcTimeout: 2 } : {});
    try {
      idp.mode = mode;
      const answer = await late.client.get('/api/v1/auth/oidc/redirect');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      idp.mode = 'works';
      expect((await late.client.get('/api/v1/auth/oidc/redirect')).status).toBe(200);
    } finally {
      await late.stop();
    }
  });
});
