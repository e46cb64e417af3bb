import {
  RefreshTokenReusedEvent,
  TokenIssuedEvent,
  TokenRefreshedEvent,
  TokenRevokedEvent,
  type AuthEvent,
  type TokenPair,
} from '../../../src/domain/auth/index.js';
import { UnauthenticatedError } from '../../../src/core/index.js';
import { onDatabaseUnderTest } from '../../support/databases.js';
import { createUser } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { issueTokens, REQUEST } from '../../support/tokens.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const config = { limits: { refresh: { perFamily: 10_000, perIp: 100_000 } } };

onDatabaseUnderTest('refresh tokens', (database) => {
  const clock = new FakeClock();
  const seen: AuthEvent[] = [];
  let portal: TestPortal;
  let replica: TestPortal;
  let userId: number;

  beforeAll(async () => {
    await database.openMigrated();
    const databaseUrl = await database.url();
    portal = await startTestPortal({ databaseUrl, clock, config });
    replica = await startTestPortal({ databaseUrl, clock, config });
    userId = (await createUser(portal)).id;
    for (const type of [TokenIssuedEvent, TokenRefreshedEvent, TokenRevokedEvent, RefreshTokenReusedEvent]) {
      for (const { portal: each } of [portal, replica]) each.events.on(type, (event) => void seen.push(event));
    }
  });

  afterEach(() => void seen.splice(0));

  afterAll(async () => {
    await replica.stop();
    await portal.stop();
  });

  const refresh = (token: string, at: TestPortal = portal): Promise<TokenPair | 'refused'> =>
    at.portal.services.auth.flow.refresh(token, 'consumer', REQUEST).catch((error: unknown) => {
      if (error instanceof UnauthenticatedError) return 'refused' as const;
      throw error;
    });

  const mustRefresh = async (token: string, at?: TestPortal): Promise<string> => {
    const pair = await refresh(token, at);
    if (pair === 'refused') throw new Error('the refresh was refused');
    return pair.refreshToken;
  };

  const isAlive = async (accessToken: string): Promise<boolean> =>
    portal.portal.services.auth.guard.authenticate('consumer', accessToken, REQUEST).then(
      () => true,
      () => false,
    );

  const liveRows = async (): Promise<number> => {
    const sql =
      'SELECT COUNT(*) AS live FROM portal_api_refresh_tokens WHERE rotated_at IS NULL AND revoked_at IS NULL';
    return Number((await portal.portal.database.select<{ live: number }>(sql))[0]?.live);
  };

  it('answers twenty parallel refreshes on two replicas with one successor and leaves one live row', async () => {
    const before = await liveRows();
    const { refreshToken } = await issueTokens(portal, userId);
    const pairs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => mustRefresh(refreshToken, index % 2 === 0 ? portal : replica)),
    );
    expect(new Set(pairs).size).toBe(1);
    expect(await liveRows()).toBe(before + 1);
    await mustRefresh(pairs[0] ?? '');
  });

  it('gives who lost the answer the same successor, within ten seconds and while it is unused', async () => {
    const { refreshToken } = await issueTokens(portal, userId);
    const successor = await mustRefresh(refreshToken);
    clock.advance(10);
    expect(await mustRefresh(refreshToken, replica)).toBe(successor);
    await mustRefresh(successor);
    expect(await refresh(refreshToken)).toBe('refused');
  });

  it('takes a token that comes back after the grace for stolen: the family dies, other families live', async () => {
    const stolen = await issueTokens(portal, userId);
    const other = await issueTokens(portal, userId);
    const successor = await mustRefresh(stolen.refreshToken);
    clock.advance(10.001);
    expect(await refresh(stolen.refreshToken)).toBe('refused');
    expect(await isAlive(stolen.accessToken)).toBe(false);
    expect(await refresh(successor)).toBe('refused');
    expect(await isAlive(other.accessToken)).toBe(true);
    await mustRefresh(other.refreshToken);
    expect(seen.filter((event) => event instanceof RefreshTokenReusedEvent)).toEqual([
      expect.objectContaining({ context: 'consumer', accountId: userId, ip: '192.0.2.7', requestId: 'test-request' }),
    ]);
  });

  it.each([1, 2, 3])('finds the replay of generation %i of four, even with a frozen clock', async (generation) => {
    const { refreshToken, accessToken } = await issueTokens(portal, userId);
    const chain = [refreshToken];
    for (let next = 0; next < 4; next += 1) chain.push(await mustRefresh(chain[next] ?? ''));
    expect(await refresh(chain[generation - 1] ?? '')).toBe('refused');
    expect(await refresh(chain[4] ?? '')).toBe('refused');
    expect(await isAlive(accessToken)).toBe(false);
  });

  it('refuses an expired token, also within the grace of its exchange', async () => {
    const { refreshToken } = await issueTokens(portal, userId);
    clock.advance(30 * 86_400 - 1);
    const successor = await mustRefresh(refreshToken);
    clock.advance(1);
    expect(await refresh(refreshToken)).toBe('refused');
    await mustRefresh(successor);
  });

  it('ends a family after 90 days however often it is refreshed, and no token outlives it', async () => {
    let { refreshToken } = await issueTokens(portal, userId);
    for (let month = 0; month < 3; month += 1) {
      clock.advance(29 * 86_400);
      refreshToken = await mustRefresh(refreshToken);
    }
    clock.advance(3 * 86_400 - 1);
    refreshToken = await mustRefresh(refreshToken);
    clock.advance(1);
    expect(await refresh(refreshToken)).toBe('refused');
    const sql =
      'SELECT COUNT(*) AS late FROM portal_api_refresh_tokens AS t JOIN portal_sessions AS s ON s.sid = t.family WHERE t.expires_at > s.expires_at';
    expect(Number((await portal.portal.database.select<{ late: number }>(sql))[0]?.late)).toBe(0);
  });

  it('leaves nothing alive of a family that was refreshed and logged out at once', async () => {
    const owner = { context: 'consumer', id: userId } as const;
    for (let round = 0; round < 60; round += 1) {
      const { refreshToken, accessToken } = await issueTokens(portal, userId);
      const out = () => replica.portal.services.auth.flow.logout(refreshToken, owner, REQUEST);
      const [refreshed] = await (round % 2 === 0
        ? Promise.all([refresh(refreshToken), out()])
        : Promise.all([out(), refresh(refreshToken)]).then(([, outcome]) => [outcome] as const));
      expect(await refresh(refreshToken)).toBe('refused');
      expect(await isAlive(accessToken)).toBe(false);
      if (refreshed === 'refused') continue;
      expect(await refresh(refreshed.refreshToken)).toBe('refused');
      expect(await isAlive(refreshed.accessToken)).toBe(false);
    }
  });

  it('ends a family at most once however many log out of it', async () => {
    const { refreshToken } = await issueTokens(portal, userId);
    const owner = { context: 'consumer', id: userId } as const;
    await Promise.all(
      [portal, replica, portal, replica].map(({ portal: each }) =>
        each.services.auth.flow.logout(refreshToken, owner, REQUEST),
      ),
    );
    expect(seen.filter((event) => event instanceof TokenRevokedEvent)).toHaveLength(1);
  });

  it('is not confused by a clock that goes back', async () => {
    const { refreshToken } = await issueTokens(portal, userId);
    const successor = await mustRefresh(refreshToken);
    clock.advance(-3600);
    const next = await mustRefresh(successor);
    expect(await refresh(refreshToken)).toBe('refused');
    expect(await refresh(next)).toBe('refused');
    clock.advance(3600);
  });

  it('keeps hashes only, and no event tells a token', async () => {
    const pair = await issueTokens(portal, userId);
    const successor = await mustRefresh(pair.refreshToken);
    const rows = JSON.stringify([
      await portal.portal.database.select('SELECT * FROM portal_api_refresh_tokens'),
      await portal.portal.database.select('SELECT * FROM portal_sessions'),
      seen,
    ]);
    for (const token of [pair.refreshToken, pair.accessToken, successor]) expect(rows).not.toContain(token);
    expect(seen.map((event) => event.constructor.name)).toEqual([
      'TokenIssuedEvent',
      'TokenRefreshedEvent',
      'TokenIssuedEvent',
    ]);
  });

  it('ends everything but the kept sign-in with a new password, and refuses a login that was under way', async () => {
    const { id, email } = await createUser(portal);
    const { users } = portal.portal.services.accounts;
    const { user, authEpoch } = await users.findCredentials(id);
    const kept = await issueTokens(portal, id);
    const other = await issueTokens(portal, id);
    const keepSid = portal.portal.services.auth.tokens.verify(kept.accessToken, 'consumer').then(({ sid }) => sid);
    await users.changePassword(id, 'a wholly different phrase', { keepSid: await keepSid });
    const late = { context: 'consumer', id, email, authEpoch, user } as const;
    await expect(replica.portal.services.auth.flow.issueForUser(late, REQUEST)).rejects.toThrow(UnauthenticatedError);
    expect([await isAlive(kept.accessToken), await isAlive(other.accessToken)]).toEqual([true, false]);
    expect(await refresh(other.refreshToken, replica)).toBe('refused');
    await mustRefresh(kept.refreshToken, replica);
  });

  it('never brings a sign-in back to life by keeping it', async () => {
    const { id } = await createUser(portal);
    const { sessions } = portal.portal.services.auth;
    const dead = await issueTokens(portal, id);
    const { sid } = await portal.portal.services.auth.tokens.verify(dead.accessToken, 'consumer');
    await portal.portal.database.execute('UPDATE portal_users SET auth_epoch = auth_epoch + 1 WHERE id = ?', [id]);
    await portal.portal.database.transaction((transaction) =>
      sessions.endAll({ context: 'consumer', id }, sid, transaction),
    );
    expect(await isAlive(dead.accessToken)).toBe(false);
  });
});

describe('a refresh token', () => {
  let portal: TestPortal;

  beforeAll(async () => {
    portal = await startTestPortal({ config });
  });
  afterAll(() => portal.stop());

  it('costs no query unless it is genuine', async () => {
    const { id } = await createUser(portal);
    const { refreshToken } = await issueTokens(portal, id);
    const flipped = refreshToken.slice(0, -2) + (refreshToken.at(-2) === 'A' ? 'B' : 'A') + refreshToken.slice(-1);
    const garbage = [
      '',
      'prt_',
      'x'.repeat(512),
      flipped,
      refreshToken.slice(4),
      `${refreshToken}=`,
      ` ${refreshToken}`,
    ];
    await portal.portal.database.close();
    for (const token of garbage) {
      await expect(portal.portal.services.auth.flow.refresh(token, 'consumer', REQUEST)).rejects.toThrow(
        UnauthenticatedError,
      );
    }
    await expect(portal.portal.services.auth.flow.refresh(refreshToken, 'admin', REQUEST)).rejects.toThrow(
      UnauthenticatedError,
    );
  });
});
