import { PasswordChangedEvent, SessionRenewingEvent, type PortalEvent } from '../../src/index.js';
import type { EventClass } from '../../src/core/index.js';
import { describeWith } from '../support/describe-with.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const NEW_PASSWORD = 'a quite different battery';
const CHANGE = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
const ACTION = '/portal/profile/password';

describeWith('redis', 'a cookie that somebody copied, when Redis fails in the middle of a proof', () => {
  let redis: BreakableRedis;
  let way: TcpProxy;
  let test: TestPortal;
  /** Redis cannot be reached from the transaction of this event on; what is sent to it never arrives. */
  let breaking: EventClass<PortalEvent> | null = null;
  beforeAll(async () => {
    redis = await startBreakableRedis();
    way = await startTcpProxy(Number(new URL(redis.url).port));
    const url = `redis://127.0.0.1:${way.port}`;
    const limits = { ip: { requests: { max: 10_000 } }, store: 'database' as const };
    // Waited for in vain once with each break.
    const config = { limits, session: { store: 'redis' as const }, redis: { url, timeout: 2_000 } };
    test = await startTestPortal({ config });
    const guarded: readonly EventClass<PortalEvent>[] = [PasswordChangedEvent, SessionRenewingEvent];
    for (const event of guarded) {
      test.portal.events.within(event, () => {
        if (breaking !== event) return;
        way.block();
        way.cut();
      });
    }
  });
  afterAll(async () => {
    await test.stop();
    await way.close();
    await redis.stop();
  });
  beforeEach(async () => {
    mend();
    // What readiness found out is kept for a second.
    do {
      test.clock.advance(2);
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while ((await test.client.get('/api/v1/health/ready')).status !== 200);
  });

  /** Once Redis can be reached again. */
  const isSignedIn = async (page: PageClient) => {
    for (;;) {
      const { status } = await page.get('/portal/profile', { follow: false });
      if (status !== 503) return status === 200;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const mend = () => {
    breaking = null;
    way.cut();
    way.unblock();
  };
  const signedIn = async () => {
    const user = await createUser(test);
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
    expect(await isSignedIn(page)).toBe(true);
    return { user, page, stolen: page.copy() };
  };

  it('dies with the password, and its owner is told that the password is changed', async () => {
    const { user, page, stolen } = await signedIn();
    const _csrf = await page.csrf('/portal/profile');
    breaking = PasswordChangedEvent;
    const answer = await page.post(ACTION, { ...CHANGE, _csrf });
    expect([answer.status, answer.html]).toEqual([503, expect.stringContaining('Your password is changed')]);
    mend();
    expect([await isSignedIn(stolen), await isSignedIn(page)]).toEqual([false, false]);
    const again = new PageClient(test.client);
    await again.submit('/portal/login', { email: user.email, password: NEW_PASSWORD }, { follow: false });
    expect(await isSignedIn(again)).toBe(true);
  });

  it('does not become a recent one', async () => {
    const { page, stolen } = await signedIn();
    test.clock.advance(16 * 60);
    const asked = await page.submit('/portal/profile', { email: 'other@example.com' });
    const form = formsOf(asked.html).find(({ fields }) => '_current_password' in fields);
    breaking = SessionRenewingEvent;
    const answer = await page.post('/portal/profile', { ...form?.fields, _current_password: PASSWORD });
    expect(answer.status).toBe(503);
    mend();
    expect([await isSignedIn(stolen), await isSignedIn(page)]).toEqual([false, false]);
  });

  it('dies as well when nothing fails, and the browser goes on', async () => {
    const { page, stolen } = await signedIn();
    expect((await page.submit('/portal/profile', CHANGE, { action: ACTION })).html).toContain(
      'All other sign-ins have ended',
    );
    expect([await isSignedIn(stolen), await isSignedIn(page)]).toEqual([false, true]);
    const rows = await test.portal.database.select('SELECT sid FROM portal_sessions WHERE revoked_at IS NULL');
    expect(rows.length).toBeGreaterThan(0);
  });
});
