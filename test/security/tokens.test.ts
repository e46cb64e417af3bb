import jwt from 'jsonwebtoken';
import { type AuthContext, type TokenPair } from '../../src/domain/auth/index.js';
import { JwtKeys } from '../../src/domain/auth/tokens/jwt-keys.js';
import { createAdmin, createUser } from '../support/factories.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ENTRY_POINTS = { consumer: '/api/v1/me', admin: '/api/v1/admin/me' } as const;
const CONTEXTS = ['consumer', 'admin'] as const;
const other = (context: AuthContext): AuthContext => (context === 'admin' ? 'consumer' : 'admin');

let test: TestPortal;
let keys: JwtKeys;
const pairs = {} as Record<AuthContext, TokenPair>;

beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  keys = new JwtKeys(test.portal.config.portalApi);
  // The same number in both contexts, so that nothing but the context tells them apart.
  const [user, admin] = [await createUser(test), await createAdmin(test, { roles: ['super_admin'] })];
  expect(admin.id).toBe(user.id);
  pairs.consumer = await issueTokens(test, user.id);
  pairs.admin = await issueTokens(test, admin.id, 'admin');
});
afterAll(() => test.stop());

const claimsOf = (context: AuthContext): jwt.JwtPayload => jwt.decode(pairs[context].accessToken) as jwt.JwtPayload;

/** What only the portal can make: any claims, under the genuine key of a context. */
function signedBy(context: AuthContext, claims: object): string {
  const { kid, algorithm, signing } = keys.current(context);
  return jwt.sign(claims, signing, { algorithm, header: { alg: algorithm, typ: 'at+jwt', kid } });
}

const withoutEnd = ({ exp: _end, ...claims }: jwt.JwtPayload): object => claims;

const statusOf = async (context: AuthContext, token: string): Promise<number> =>
  (await test.client.get(ENTRY_POINTS[context], { token })).status;

describe.each(CONTEXTS)('the kinds of tokens, in the %s context (S21)', (context) => {
  it('accepts its own, and the same claims signed anew', async () => {
    expect(await statusOf(context, pairs[context].accessToken)).toBe(200);
    expect(await statusOf(context, signedBy(context, claimsOf(context)))).toBe(200);
  });

  const confused: [string, () => string][] = [
    ['the access token of the other context', () => pairs[other(context)].accessToken],
    ['its own refresh token', () => pairs[context].refreshToken],
    ['the refresh token of the other context', () => pairs[other(context)].refreshToken],
    ['the claims of the other context under its own key', () => signedBy(context, claimsOf(other(context)))],
    ['its own claims under the key of the other context', () => signedBy(other(context), claimsOf(context))],
    [
      'the sign-in of the other context',
      () => signedBy(context, { ...claimsOf(context), sid: claimsOf(other(context)).sid }),
    ],
    ['the subject of somebody else', () => signedBy(context, { ...claimsOf(context), sub: '987654' })],
    ['a sign-in that never was', () => signedBy(context, { ...claimsOf(context), sid: '0'.repeat(32) })],
    ['the other issuer', () => signedBy(context, { ...claimsOf(context), iss: 'https://evil.example' })],
    ['claims without end', () => signedBy(context, withoutEnd(claimsOf(context)))],
    ['4 kB of a genuine one', () => signedBy(context, { ...claimsOf(context), pad: 'x'.repeat(4096) })],
  ];
  it.each(confused)('refuses %s', async (_name, token) => {
    expect(await statusOf(context, token())).toBe(401);
  });

  it('gives nobody another context for a refresh token', async () => {
    const at = (door: AuthContext) => `/api/v1${door === 'admin' ? '/admin' : ''}/auth/refresh`;
    for (const token of [pairs[context].accessToken.slice(0, 512), pairs[other(context)].refreshToken]) {
      expect((await test.client.post(at(context), { refresh_token: token })).status).toBe(401);
    }
    const foreign = await test.client.post(at(other(context)), { refresh_token: pairs[context].refreshToken });
    expect(foreign.status).toBe(401);
    expect(await statusOf(context, pairs[context].accessToken)).toBe(200);
  });
});

describe('refreshing and logging out (S14)', () => {
  it('are limited together, 600 a minute for one address, before anything is read', async () => {
    const strict = await startTestPortal({
      databaseUrl: test.databaseUrl,
      config: { limits: { refresh: { perIp: 6 } } },
    });
    const { accessToken: token } = await issueTokens(strict, (await createUser(strict)).id);
    const doors = ['/api/v1/auth/refresh', '/api/v1/admin/auth/refresh', '/api/v1/auth/logout'];
    const statuses: number[] = [];
    for (const door of [...doors, ...doors, ...doors]) {
      statuses.push((await strict.client.post(door, { refresh_token: 'x' }, { token })).status);
    }
    expect(statuses).toEqual([401, 401, 200, 401, 401, 200, 429, 429, 429]);
    strict.clock.advance(60);
    expect((await strict.client.post(doors[0] ?? '', { refresh_token: 'x' })).status).toBe(401);
    await strict.stop();
  });
});
