import type { AdminRecord, UserRecord } from '../../../src/domain/accounts/index.js';
import { TokenIssuedEvent, TokenRefreshedEvent, TokenRevokedEvent, type AuthEvent } from '../../../src/index.js';
import { Admin } from '../../support/admin.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { Mailbox, tokenOf } from '../../support/mailbox.js';
import { PageClient } from '../../support/page-client.js';
import { signInPair } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const NEW_PASSWORD = 'a quite different battery';
const CHANGE = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
const API = '/api/v1';

const box = new Mailbox();
let test: TestPortal;
let admin: Admin;
const seen: AuthEvent[] = [];
beforeAll(async () => {
  const limits = { ip: { requests: { max: 10_000 } } };
  test = await startTestPortal({ config: { limits }, extensions: { mailer: () => box } });
  admin = await Admin.create(test);
  for (const type of [TokenIssuedEvent, TokenRefreshedEvent, TokenRevokedEvent]) {
    test.portal.events.on(type, (event) => void seen.push(event));
  }
});
afterAll(() => test.stop());
beforeEach(() => void seen.splice(0));

interface SignedIn {
  readonly account: UserRecord | AdminRecord;
  readonly prefix: string;
  /** Two sign-ins of the API. */
  readonly pairs: readonly { readonly access_token: string; readonly refresh_token: string }[];
}

async function signedIn(context: 'consumer' | 'admin' = 'consumer'): Promise<SignedIn> {
  const account = await (context === 'admin' ? createAdmin(test) : createUser(test));
  const pairs = [await signInPair(test, account), await signInPair(test, account)];
  seen.splice(0);
  return { account, pairs, prefix: context === 'admin' ? `${API}/admin` : API };
}

const send = ({ pairs, prefix }: SignedIn, method: string, path: string, body?: object) =>
  test.client.send(method, prefix + path, { token: pairs[0]?.access_token ?? '', ...(body && { body }) });
const sids = async ({ account: { id } }: SignedIn, context = 'consumer') => {
  const sql = 'SELECT sid FROM portal_sessions WHERE context = ? AND account_id = ? ORDER BY created_at, sid';
  return (await test.portal.database.select<{ sid: string }>(sql, [context, id])).map(({ sid }) => sid);
};
const revoked = () => seen.filter((event): event is TokenRevokedEvent => event instanceof TokenRevokedEvent);
/** What was told of an account: the reasons, each with as many sign-ins as it ended. */
const told = ({ account }: SignedIn) => {
  const own = revoked().filter(({ accountId, email }) => accountId === account.id && email === account.email);
  expect(own).toHaveLength(revoked().length);
  expect(new Set(own.map(({ sid }) => sid)).size).toBe(own.length);
  return own.map(({ reason }) => reason);
};
const actions = async () => {
  const rows = await test.portal.database.select<{ action: string }>(
    'SELECT action FROM portal_activities ORDER BY id',
  );
  return rows.map(({ action }) => action);
};

describe('a token pair', () => {
  it('is announced when a sign-in begins and with each refresh, which the log has once', async () => {
    const who = await signedIn();
    const pair = await signInPair(test, who.account);
    const before = (await actions()).length;
    const refreshed = await test.client.post(`${API}/auth/refresh`, { refresh_token: pair.refresh_token });
    expect(refreshed.status).toBe(200);
    const { email, id: accountId } = who.account;
    expect(seen.map((event) => event.constructor.name)).toEqual([
      'TokenIssuedEvent',
      'TokenRefreshedEvent',
      'TokenIssuedEvent',
    ]);
    const issued = seen.filter((event): event is TokenIssuedEvent => event instanceof TokenIssuedEvent);
    expect(issued.map(({ isRefresh }) => isRefresh)).toEqual([false, true]);
    expect(issued[1]).toMatchObject({ context: 'consumer', accountId, email, sid: issued[0]?.sid });
    expect((await actions()).slice(before)).toEqual(['token.refreshed']);
  });
});

describe('the end of refresh tokens is announced for each sign-in, with the account', () => {
  it.each(['consumer', 'admin'] as const)('by a logout, of the context "%s"', async (context) => {
    const who = await signedIn(context);
    const body = { refresh_token: who.pairs[0]?.refresh_token };
    expect((await send(who, 'POST', '/auth/logout', body)).status).toBe(200);
    expect(told(who)).toEqual(['logout']);
    expect(revoked()[0]).toMatchObject({ context, ip: '127.0.0.1' });
  });

  it('by the list of sessions, one by one and all at once', async () => {
    const who = await signedIn();
    const [first, second] = await sids(who);
    const { json } = await send(who, 'GET', '/me/sessions');
    const other = (json.data as { id: string; current: boolean }[]).find(({ current }) => !current)?.id ?? '';
    await send(who, 'DELETE', `/me/sessions/${other}`);
    expect([told(who), [first, second].includes(revoked()[0]?.sid ?? '')]).toEqual([['session_ended'], true]);
    seen.splice(0);
    expect((await send(who, 'DELETE', '/me/sessions')).status).toBe(200);
    expect(told(who)).toEqual(['session_ended']);
  });

  it('not for sign-ins of the browser, which have none', async () => {
    const user = await createUser(test);
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: user.email, password: PASSWORD });
    await page.submit('/portal', {}, { action: '/portal/logout' });
    expect(revoked()).toEqual([]);
  });

  it.each(['consumer', 'admin'] as const)(
    'by a new password, but for the sign-in that lives on, of "%s"',
    async (context) => {
      const who = await signedIn(context);
      const before = (await actions()).length;
      expect((await send(who, 'POST', '/me/password', CHANGE)).status).toBe(200);
      expect(told(who)).toEqual(['password_changed']);
      expect((await actions()).slice(before)).toEqual(['password.changed']);
    },
  );

  it('by a new password by mail', async () => {
    const who = await signedIn();
    await test.client.post(`${API}/auth/forgot-password`, { email: who.account.email });
    const token = tokenOf((await box.take(test, who.account.email))[0]);
    const body = { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    expect((await test.client.post(`${API}/auth/reset-password`, body)).status).toBe(200);
    expect(told(who)).toEqual(['password_changed', 'password_changed']);
  });

  it('by a refresh token that comes back', async () => {
    const who = await signedIn();
    const [{ refresh_token: stolen } = { refresh_token: '' }] = who.pairs;
    const refresh = (token: string) => test.client.post(`${API}/auth/refresh`, { refresh_token: token });
    const next = await refresh(stolen);
    await refresh(next.json.data.refresh_token);
    const before = (await actions()).length;
    expect((await refresh(stolen)).status).toBe(401);
    expect(told(who)).toEqual(['token_reused']);
    expect((await actions()).slice(before)).toEqual(['refresh_token.reused']);
  });

  it('by an admin: of a developer who is logged out, disabled or deleted', async () => {
    const entryPoints = [
      ['session_ended', (id: number) => admin.post(`/users/${id}/sessions/revoke`)],
      ['account_disabled', (id: number) => admin.post(`/users/${id}/deactivate`)],
      ['account_deleted', (id: number) => admin.delete(`/users/${id}`)],
    ] as const;
    for (const [reason, entryPoint] of entryPoints) {
      const who = await signedIn();
      const before = (await actions()).length;
      expect((await entryPoint(who.account.id)).status).toBe(200);
      expect(told(who)).toEqual([reason, reason]);
      expect((await actions()).slice(before)).toHaveLength(1);
    }
  });

  it('by an admin: of another one who is disabled or deleted', async () => {
    const entryPoints = [
      ['account_disabled', (id: number) => admin.put(`/admins/${id}`, { status: 'inactive' })],
      ['account_deleted', (id: number) => admin.delete(`/admins/${id}`)],
    ] as const;
    for (const [reason, entryPoint] of entryPoints) {
      const who = await signedIn('admin');
      expect((await entryPoint(who.account.id)).status).toBe(200);
      expect(told(who)).toEqual([reason, reason]);
    }
  });

  it('once: what has ended or expired does not end again', async () => {
    const who = await signedIn();
    const body = { refresh_token: who.pairs[1]?.refresh_token };
    await send(who, 'POST', '/auth/logout', body);
    seen.splice(0);
    await send(who, 'POST', '/auth/logout', body);
    expect(revoked()).toEqual([]);
    await test.portal.services.auth.sessions.revokeAll({ context: 'consumer', id: who.account.id }, REQUEST);
    expect(told(who)).toEqual(['session_ended']);
    const late = await signedIn();
    test.clock.advance(91 * 86_400);
    await test.portal.services.auth.sessions.revokeAll({ context: 'consumer', id: late.account.id }, REQUEST);
    expect(told(late)).toEqual([]);
  });

  it('by the command that signs everybody out', async () => {
    const who = await signedIn();
    await test.portal.services.auth.sessions.endEverySession();
    const own = revoked().filter(({ accountId, context }) => context === 'consumer' && accountId === who.account.id);
    expect(own.map(({ reason, email }) => [reason, email])).toEqual(
      Array.from({ length: 2 }, () => ['everybody_signed_out', who.account.email]),
    );
  });
});

const REQUEST = { requestId: 'test', ip: '192.0.2.1', userAgent: '' };
