import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Two processes' worth of portals over one database and one clock. */
let one: TestPortal;
let two: TestPortal;

beforeAll(async () => {
  const config = {
    limits: { store: 'database', ip: { requests: { max: 1000 }, failingAccounts: { max: 20 } } },
  } as const;
  one = await startTestPortal({ config });
  two = await startTestPortal({ config, clock: one.clock, databaseUrl: one.databaseUrl });
  await one.portal.services.rbac.seed();
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

/** Statuses of `times` calls at once, half of them at each replica, with how often each came. */
async function atOnce(times: number, call: (portal: TestPortal, index: number) => Promise<{ status: number }>) {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => call(index % 2 === 0 ? one : two, index)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('a limit that two replicas share (S15)', () => {
  it('reveals a taken address exactly five times', async () => {
    const { email } = await createUser(one);
    const password = 'a phrase nobody else uses';
    const body = { first_name: 'A', last_name: 'B', email, password, password_confirmation: password };
    expect(await atOnce(30, ({ client }) => client.post('/api/v1/auth/register', body))).toEqual({ 422: 5, 429: 25 });
    one.clock.advance(86_400);
  });

  it('lets exactly sixty exchanges of one sign-in through', async () => {
    const { id } = await createUser(one);
    const { refreshToken } = await issueTokens(one, id);
    const body = { refresh_token: refreshToken };
    expect(await atOnce(80, ({ client }) => client.post('/api/v1/auth/refresh', body))).toEqual({ 200: 60, 429: 20 });
    one.clock.advance(60);
  });

  it('lets an address fail at exactly twenty accounts', async () => {
    const call = ({ client }: TestPortal, index: number) =>
      client.post('/api/v1/auth/login', { email: `nobody${index}@example.net`, password: 'wrong' });
    expect(await atOnce(40, call)).toEqual({ 401: 20, 429: 20 });
    one.clock.advance(600);
  });

  it('counts guesses at one account in both spellings and contexts apart from each other', async () => {
    const user = await createUser(one);
    const guess = ({ client }: TestPortal, index: number) =>
      client.post('/api/v1/auth/login', {
        email: index % 3 ? user.email : ` ${user.email.toUpperCase()}`,
        password: 'x',
      });
    expect(await atOnce(20, guess)).toEqual({ 401: 5, 429: 15 });
    const admin = await createAdmin(one, { email: user.email });
    const right = { email: admin.email, password: PASSWORD };
    expect((await two.client.post('/api/v1/admin/auth/login', right)).status).toBe(200);
    one.clock.advance(600);
  });
});

describe('what one replica ends is over at the other at once (S25, S40)', () => {
  const endings: [name: string, status: number, end: (id: number, tokens: Tokens) => Promise<unknown>][] = [
    ['disabling', 401, (id) => one.portal.services.accounts.users.setStatus(id, 'inactive')],
    ['deleting', 401, (id) => one.portal.services.accounts.users.delete(id)],
    ['a new password', 401, (id) => one.portal.services.accounts.users.changePassword(id, 'a wholly different phrase')],
    [
      'logging out',
      401,
      (_id, { accessToken, refreshToken }) =>
        one.client.post('/api/v1/auth/logout', { refresh_token: refreshToken }, { token: accessToken }),
    ],
    [
      'logging out everywhere',
      401,
      (_id, { accessToken }) => one.client.delete('/api/v1/me/sessions', { token: accessToken }),
    ],
    ['nothing', 200, () => Promise.resolve()],
  ];
  type Tokens = Awaited<ReturnType<typeof issueTokens>>;

  it.each(endings)('%s', async (_name, status, end) => {
    const { id } = await createUser(one);
    const tokens = await issueTokens(one, id);
    const seen = async () => (await two.client.get('/api/v1/me', { token: tokens.accessToken })).status;
    expect(await seen()).toBe(200);
    await end(id, tokens);
    const refreshed = await two.client.post('/api/v1/auth/refresh', { refresh_token: tokens.refreshToken });
    expect([await seen(), refreshed.status]).toEqual([status, status]);
  });

  it('disabling an admin, and taking a role within a second', async () => {
    const admin = await createAdmin(one, { roles: ['support'] });
    const { accessToken } = await issueTokens(one, admin.id, 'admin');
    const list = async () => (await two.client.get('/api/v1/admin/users', { token: accessToken })).status;
    expect(await list()).toBe(200);
    await one.portal.services.rbac.assignRoles({ adminId: admin.id, roles: [], by: 'operator' });
    one.clock.advance(1);
    expect(await list()).toBe(403);
    await one.portal.database.execute("UPDATE portal_admins SET status = 'inactive' WHERE id = ?", [admin.id]);
    expect(await list()).toBe(401);
  });
});
