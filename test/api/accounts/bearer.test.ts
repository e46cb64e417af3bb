import { LoginFailedEvent, type TokenPair } from '../../../src/domain/auth/index.js';
import { routePath } from '../../../src/http/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { logIn, issueTokens } from '../../support/tokens.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ME = '/api/v1/me';

describe('bearers', () => {
  let portal: TestPortal;
  let consumer: TokenPair;
  let admin: TokenPair;
  let userId: number;

  beforeAll(async () => {
    portal = await startTestPortal();
    await portal.portal.services.rbac.seed();
    userId = (await createUser(portal)).id;
    consumer = await issueTokens(portal, userId);
    admin = await issueTokens(portal, (await createAdmin(portal, { roles: ['super_admin'] })).id, 'admin');
  });
  afterAll(() => portal.stop());

  const refused = (answer: Answer): void => {
    expect([answer.status, answer.json, answer.headers.get('www-authenticate')]).toEqual([
      401,
      { success: false, status: 401, message: 'Unauthenticated.', errors: {}, meta: null },
      'Bearer',
    ]);
  };

  it('pass no door of the other context, nor any without a token', async () => {
    const guarded = portal.portal.routes.filter(({ auth }) => auth === 'required');
    expect(guarded.length).toBeGreaterThan(15);
    for (const route of guarded) {
      const path = routePath(route, { prefix: '/api/v1', adminPrefix: 'admin' }).replace(/:\w+/g, '1');
      const wrong = route.context === 'admin' ? consumer : admin;
      for (const token of [wrong.accessToken, wrong.refreshToken, consumer.refreshToken, 'x'.repeat(3000)]) {
        refused(await portal.client.send(route.method.toUpperCase(), path, { token }));
      }
      refused(await portal.client.send(route.method.toUpperCase(), path));
    }
  });

  it('show the token in one Authorization header of at most 4 kB, and nowhere else', async () => {
    const token = consumer.accessToken;
    expect((await portal.client.get(ME, { token })).status).toBe(200);
    refused(await portal.client.get(`${ME}?token=${token}&access_token=${token}`));
    refused(await portal.client.put(ME, { token, access_token: token }));
    refused(await portal.client.get(ME, { headers: { cookie: `token=${token}; access_token=${token}` } }));
    refused(await portal.client.get(ME, { headers: { authorization: token } }));
    refused(await portal.client.get(ME, { headers: { authorization: `Basic ${token}` } }));
    refused(await portal.client.get(ME, { headers: { authorization: `Bearer ${token}${'x'.repeat(4096)}` } }));
    const twice = await portal.client.rawRequest(
      `GET ${ME} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    expect(twice).toMatch(/^HTTP\/1.1 401 /);
  });

  it('cost one query', async () => {
    const { database } = portal.portal;
    const statements: string[] = [];
    const select = database.select.bind(database);
    database.select = (sql, ...rest) => {
      statements.push(sql);
      return select(sql, ...rest);
    };
    await portal.client.get(ME, { token: consumer.accessToken });
    database.select = select;
    expect(statements).toHaveLength(1);
  });

  describe('refreshing and logging out', () => {
    const refresh = (token: unknown, prefix = '') =>
      portal.client.post(`/api/v1${prefix}/auth/refresh`, { refresh_token: token });
    const logOut = (token: unknown, accessToken: string, prefix = '') =>
      portal.client.post(`/api/v1${prefix}/auth/logout`, { refresh_token: token }, { token: accessToken });

    it('exchanges a refresh token for a new pair', async () => {
      const pair = await issueTokens(portal, userId);
      portal.clock.advance(1);
      const answer = await refresh(pair.refreshToken);
      expect([answer.status, Object.keys(answer.json.data)]).toEqual([
        200,
        ['token_type', 'access_token', 'expires_in', 'refresh_token'],
      ]);
      expect(answer.json.data.refresh_token).not.toBe(pair.refreshToken);
      expect((await portal.client.get(ME, { token: answer.json.data.access_token })).status).toBe(200);
    });

    it('refuses what is not a refresh token of this context', async () => {
      for (const token of [consumer.accessToken.slice(0, 500), admin.refreshToken, 'garbage', 'prt_garbage']) {
        refused(await refresh(token));
      }
      refused(await refresh(consumer.refreshToken, '/admin'));
    });

    it.each([[['x']], [{}], [1], [true], [null], ['x'.repeat(513)], [undefined]])(
      'answers 422 to %j',
      async (token) => {
        for (const answer of [await refresh(token), await logOut(token, consumer.accessToken)]) {
          expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['refresh_token']]);
        }
      },
    );

    it('ends the sign-in with its access tokens, always with the same answer', async () => {
      const pair = await issueTokens(portal, userId);
      const first = await logOut(pair.refreshToken, consumer.accessToken);
      expect(first.json).toEqual({ success: true, status: 200, message: 'Logged out.', data: {}, meta: null });
      refused(await portal.client.get(ME, { token: pair.accessToken }));
      refused(await refresh(pair.refreshToken));
      for (const token of [pair.refreshToken, 'garbage', admin.refreshToken]) {
        expect((await logOut(token, consumer.accessToken)).text).toBe(first.text);
      }
      refused(await logOut(pair.refreshToken, pair.accessToken));
    });

    it("has no effect on somebody else's token", async () => {
      const victim = await issueTokens(portal, (await createUser(portal)).id);
      expect((await logOut(victim.refreshToken, consumer.accessToken)).status).toBe(200);
      expect((await portal.client.get(ME, { token: victim.accessToken })).status).toBe(200);
      expect((await refresh(victim.refreshToken)).status).toBe(200);
      // An admin may have the same number as a developer.
      const twin = await createAdmin(portal);
      await portal.portal.database.execute('UPDATE portal_admins SET id = 70001 WHERE id = ?', [twin.id]);
      const other = await createUser(portal);
      await portal.portal.database.execute('UPDATE portal_users SET id = 70001 WHERE id = ?', [other.id]);
      const [one, two] = [await issueTokens(portal, 70001), await issueTokens(portal, 70001, 'admin')];
      await logOut(two.refreshToken, one.accessToken);
      expect((await portal.client.get('/api/v1/admin/me', { token: two.accessToken })).status).toBe(200);
    });

    it('is limited to 60 a minute for one sign-in', async () => {
      let { refreshToken } = await issueTokens(portal, userId);
      portal.clock.advance(60);
      for (let count = 0; count < 60; count += 1) {
        const answer = await refresh(refreshToken);
        expect(answer.status).toBe(200);
        refreshToken = answer.json.data.refresh_token;
      }
      const limited = await refresh(refreshToken);
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
      const other = await issueTokens(portal, userId);
      expect((await refresh(other.refreshToken)).status).toBe(200);
      portal.clock.advance(60);
      expect((await refresh(refreshToken)).status).toBe(200);
    });
  });
});

describe('the own account', () => {
  let portal: TestPortal;
  let failures = 0;

  beforeAll(async () => {
    portal = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } } });
    portal.portal.events.on(LoginFailedEvent, () => void (failures += 1));
  });
  afterAll(() => portal.stop());

  const NEW = 'a wholly different phrase';
  const change = (token: string, body: object, path = '/api/v1/me/password') =>
    portal.client.post(path, body, { token });
  const alive = async (token: string): Promise<boolean> => (await portal.client.get(ME, { token })).status === 200;

  it('changes its password with the present one; every other sign-in ends, in both forms', async () => {
    const user = await createUser(portal);
    const [own, other] = [await issueTokens(portal, user.id), await issueTokens(portal, user.id)];
    const body = { current_password: PASSWORD, password: NEW, password_confirmation: NEW };
    const answer = await change(own.accessToken, body);
    expect([answer.status, answer.json.data, answer.json.message]).toEqual([200, {}, 'Password changed.']);
    expect([await alive(own.accessToken), await alive(other.accessToken)]).toEqual([true, false]);
    const refresh = (token: string) => portal.client.post('/api/v1/auth/refresh', { refresh_token: token });
    expect([(await refresh(own.refreshToken)).status, (await refresh(other.refreshToken)).status]).toEqual([200, 401]);
    expect([(await logIn(portal, user.email)).status, (await logIn(portal, user.email, NEW)).status]).toEqual([
      401, 200,
    ]);
  });

  it('of an admin wants twelve characters', async () => {
    const { id } = await createAdmin(portal);
    const { accessToken } = await issueTokens(portal, id, 'admin');
    const path = '/api/v1/admin/me/password';
    const short = { current_password: PASSWORD, password: 'elevenchars', password_confirmation: 'elevenchars' };
    expect((await change(accessToken, short, path)).json.errors).toHaveProperty('password');
    const good = { current_password: PASSWORD, password: NEW, password_confirmation: NEW };
    expect((await change(accessToken, good, path)).status).toBe(200);
  });

  it('counts a wrong present password as a failed login', async () => {
    const user = await createUser(portal);
    const { accessToken } = await issueTokens(portal, user.id);
    const body = { current_password: 'wrong', password: NEW, password_confirmation: NEW };
    failures = 0;
    for (let count = 0; count < 3; count += 1) {
      const answer = await change(accessToken, body);
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['current_password']]);
    }
    const again = () => portal.client.post('/api/v1/me/reauthenticate', { password: 'wrong' }, { token: accessToken });
    for (let count = 0; count < 2; count += 1) {
      const answer = await again();
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['password']]);
    }
    expect(failures).toBe(5);
    const limited = [await again(), await change(accessToken, body), await logIn(portal, user.email)];
    expect(limited.map(({ status }) => status)).toEqual([429, 429, 429]);
    portal.clock.advance(60);
  });

  it.each([[['x']], [{}], [1], [true], [null], [undefined]])('answers 422 to %j as a password', async (value) => {
    const { id } = await createUser(portal);
    const { accessToken } = await issueTokens(portal, id);
    const body = { current_password: value, password: value, password_confirmation: value };
    const answer = await change(accessToken, body);
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([
      422,
      expect.arrayContaining(['current_password', 'password']),
    ]);
    const again = await portal.client.post('/api/v1/me/reauthenticate', { password: value }, { token: accessToken });
    expect(again.status).toBe(422);
  });

  it('counts as recently proved for 15 minutes; refreshing does not renew that, the password does', async () => {
    const { id } = await createUser(portal);
    const { guard } = portal.portal.services.auth;
    let { accessToken, refreshToken } = await issueTokens(portal, id);
    const mayAct = async (): Promise<boolean> => {
      const actor = await guard.authenticate('consumer', accessToken, { requestId: '', ip: '', userAgent: '' });
      try {
        guard.requireRecentSignIn(actor);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ status: 403, message: 'Re-authentication required.' });
        return false;
      }
    };
    portal.clock.advance(900);
    expect(await mayAct()).toBe(true);
    portal.clock.advance(1);
    const { data } = (await portal.client.post('/api/v1/auth/refresh', { refresh_token: refreshToken })).json;
    ({ access_token: accessToken, refresh_token: refreshToken } = data);
    expect(await mayAct()).toBe(false);
    const proved = await portal.client.post(
      '/api/v1/me/reauthenticate',
      { password: PASSWORD },
      { token: accessToken },
    );
    expect([proved.status, proved.json.data]).toEqual([200, {}]);
    expect(await mayAct()).toBe(true);
  });

  it('lists its live sign-ins, ends one of them, and none of somebody else', async () => {
    const [user, stranger] = [await createUser(portal), await createUser(portal)];
    const own = await issueTokens(portal, user.id);
    portal.clock.advance(120);
    const other = await issueTokens(portal, user.id);
    const foreign = await issueTokens(portal, stranger.id);
    const list = async () => (await portal.client.get('/api/v1/me/sessions', { token: own.accessToken })).json;
    await list();
    await portal.portal.services.auth.sessions.flush();
    const { data, meta } = await list();
    expect(meta).toBeNull();
    expect(data).toHaveLength(2);
    const seen = portal.clock.now().toISOString();
    expect(data.find((session: { current: boolean }) => session.current)).toMatchObject({
      context: 'consumer',
      channel: 'api',
      ip: '192.0.2.7',
      user_agent: 'jest',
      last_seen_at: seen,
      created_at: new Date(portal.clock.now().getTime() - 120_000).toISOString(),
    });
    const { sid: otherSid } = await portal.portal.services.auth.tokens.verify(other.accessToken, 'consumer');
    const { sid: foreignSid } = await portal.portal.services.auth.tokens.verify(foreign.accessToken, 'consumer');
    const end = (sid: string) => portal.client.delete(`/api/v1/me/sessions/${sid}`, { token: own.accessToken });
    expect((await end(otherSid)).status).toBe(200);
    const missing = [await end(otherSid), await end(foreignSid), await end('0'.repeat(32)), await end('nonsense')];
    for (const answer of missing) expect([answer.status, answer.text]).toEqual([404, missing[0]?.text]);
    expect([await alive(own.accessToken), await alive(other.accessToken), await alive(foreign.accessToken)]).toEqual([
      true,
      false,
      true,
    ]);
    expect((await list()).data).toHaveLength(1);
  });

  it('logs out everywhere at once, here too', async () => {
    const { id } = await createUser(portal);
    const pairs = [await issueTokens(portal, id), await issueTokens(portal, id)];
    const answer = await portal.client.delete('/api/v1/me/sessions', { token: pairs[0]?.accessToken ?? '' });
    expect([answer.status, answer.json.message]).toEqual([200, 'Logged out everywhere.']);
    for (const pair of pairs) {
      expect(await alive(pair.accessToken)).toBe(false);
      const refreshed = await portal.client.post('/api/v1/auth/refresh', { refresh_token: pair.refreshToken });
      expect(refreshed.status).toBe(401);
    }
  });
});
