import type { PortalConfigInput } from '../../../src/config/index.js';
import { Developer, verify } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, flushUsage, seedCalls } from '../../support/usage.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const LATE = 180;

let test: TestPortal;
let box: Mailbox;
let ada: Developer;
let key: { id: number; key: string };
let appId: number;
let productId: number;
afterEach(() => test.stop());

/** A plan with a quota for the day, an API that offers it, and an app that has it. */
async function start(
  limits: Parameters<typeof createPlan>[2] = { quotaPerDay: 10 },
  config: PortalConfigInput = {},
): Promise<void> {
  box = new Mailbox();
  test = await startTestPortal({ replicas: 1, config, extensions: { mailer: () => box } });
  const plan = await createPlan(test, { slug: 'small', name: 'Small' }, limits);
  const offered = { slug: 'payments', name: 'Card Payments', plans: ['small'] };
  productId = (await createProduct(test, offered)).id;
  ada = await Developer.create(test);
  key = await ada.createApp('shop', ['payments']);
  appId = await appIdOf(test, 'shop');
  expect(plan.activeVersion).toBe(1);
}

const stopping = () => new AbortController().signal;
const alert = () => test.portal.services.usage.alert(stopping());
/** Writes calls past the counter, of now or of so many seconds ago. */
const called = (calls: number, ago = 0) =>
  seedCalls(test, [
    {
      ...{ appId, credentialId: key.id, productId, planVersionId: 1, calls },
      at: new Date(test.clock.now().getTime() - ago * 1_000),
    },
  ]);
const mails = async () => {
  await alert();
  return box.take(test, ada.user.email);
};
const subjects = async () => (await mails()).map(({ subject }) => subject);
const NEAR = (percent: number) => `shop has used ${percent}% of its quota of Card Payments`;
const USED_UP = 'shop has used up its quota of Card Payments';
const UNUSUAL = 'shop calls Card Payments unusually often';
const rows = async () => {
  const [row] = await test.portal.database.select<{ total: number }>(
    'SELECT COUNT(*) AS total FROM portal_usage_alerts',
  );
  return Number(row?.total);
};

describe('a quota that runs out', () => {
  it('is told at 80 and at 100 percent, each once, by the job', async () => {
    await start({ quotaPerDay: 5 });
    const told: string[][] = [];
    for (let call = 1; call <= 7; call += 1) {
      await verify(test, key.key, 'payments');
      await flushUsage(test);
      test.clock.advance(60);
      await test.portal.jobs.run('usage-alerts');
      told.push((await box.take(test, ada.user.email)).map(({ subject }) => subject));
    }
    expect(told).toEqual([[], [], [], [NEAR(80)], [USED_UP], [], []]);
  });

  it('is told with what was used, when it starts anew and where to look, and with no key', async () => {
    await start({ quotaPerMonth: 12_000 });
    await called(10_000);
    const [mail] = await mails();
    expect(mail?.subject).toBe(NEAR(83));
    expect(mail?.text).toContain('has used 10,000 of 12,000 calls that the plan Small allows it of Card Payments');
    expect(mail?.text).toContain('starts anew on Jul 1, 2026 at 00:00 UTC');
    expect(mail?.text).toMatch(/\nhttps?:\/\/[^\s]+\/portal\/apps\/shop\/usage\n/);
    for (const part of [mail?.text, mail?.html]) expect(part).not.toMatch(new RegExp(`${key.key.slice(-4)}|port••`));
  });

  it('is told once for the highest percentage when several are passed at once', async () => {
    await start();
    await called(10);
    expect(await subjects()).toEqual([USED_UP]);
    expect(await rows()).toBe(2);
    await called(1);
    expect(await subjects()).toEqual([]);
  });

  it('is told again in the next period', async () => {
    await start();
    await called(8);
    expect(await subjects()).toEqual([NEAR(80)]);
    test.clock.advance(DAY);
    await called(2);
    expect(await subjects()).toEqual([]);
    await called(7);
    expect(await subjects()).toEqual([NEAR(90)]);
  });

  it('is told for each of the quotas of a plan', async () => {
    await start({ quotaPerDay: 10, quotaPerMonth: 20, quotaPerAnchoredMonth: 40 });
    await called(10);
    expect(await subjects()).toEqual([USED_UP]);
    test.clock.advance(DAY);
    await called(6);
    expect(await subjects()).toEqual([NEAR(80)]);
  });

  it('is told once when two replicas look at the same time, again and again', async () => {
    await start();
    const { clock, databaseUrl } = test;
    const other = await startTestPortal({ replicas: 1, clock, databaseUrl, extensions: { mailer: () => box } });
    try {
      await called(9);
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([alert(), other.portal.services.usage.alert(stopping()), alert()]);
      }
      expect(await subjects()).toEqual([NEAR(90)]);
      const [acts] = await test.portal.database.select<{ total: number }>(
        "SELECT COUNT(*) AS total FROM portal_activities WHERE action = 'app.quota_reached'",
      );
      expect(Number(acts?.total)).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('is told once of a quota that apps share, whichever of them calls', async () => {
    await start({ quotaPerDay: 10, isShared: true });
    const other = await ada.createApp('till', ['payments']);
    await called(5);
    [appId, key] = [await appIdOf(test, 'till'), other];
    await called(4);
    expect(await subjects()).toEqual([NEAR(90)]);
    await called(1);
    expect((await subjects()).map((subject) => subject.replace('till', 'shop'))).toEqual([USED_UP]);
  });

  it('is told late rather than never by a process that begins, of calls that nobody looked at', async () => {
    await start();
    await called(9);
    test.clock.advance(3 * HOUR);
    expect(await subjects()).toEqual([NEAR(90)]);
  });

  it('is told at the percentages of usage.alertAt', async () => {
    await start({ quotaPerDay: 10 }, { usage: { alertAt: ['50', '90'] } });
    await called(5);
    expect(await subjects()).toEqual([NEAR(50)]);
    await called(3);
    expect(await subjects()).toEqual([]);
    await called(1);
    expect(await subjects()).toEqual([NEAR(90)]);
  });

  it('is not told where usage.alertAt is empty, of a soft plan, or of one without a quota', async () => {
    for (const [limits, alertAt] of [
      [{ quotaPerDay: 10 }, []],
      [{ quotaPerDay: 10, enforcement: 'soft' }, ['80']],
      [{ ratePerSecond: 1 }, ['80']],
    ] as const) {
      await start(limits, { usage: { alertAt } });
      await called(20);
      expect([await subjects(), await rows()]).toEqual([[], 0]);
      if (limits !== undefined && 'ratePerSecond' in limits) return;
      await test.stop();
    }
  });

  it('is in the log of developer and admins, also where notices.usage is off', async () => {
    await start({ quotaPerDay: 10 }, { notices: { usage: false } });
    await called(9);
    expect(await subjects()).toEqual([]);
    const { json } = await test.client.get('/api/v1/me/activities', { token: ada.token });
    expect(json.data.find(({ action }: { action: string }) => action === 'app.quota_reached')).toMatchObject({
      changes: { product: [null, 'payments'], threshold: [null, '80%'], used: [null, 9], limit: [null, 10] },
    });
  });

  it('is not mailed to an account that is not active', async () => {
    await start();
    await called(9);
    await test.portal.database.execute("UPDATE portal_users SET status = 'disabled' WHERE id = ?", [ada.user.id]);
    expect(await subjects()).toEqual([]);
  });

  it('is forgotten with the app, and usage.days after its period', async () => {
    await start({ quotaPerDay: 10 }, { usage: { hours: '4d', days: '4d' } });
    await called(9);
    await alert();
    const maintain = () => test.portal.services.usage.maintain(stopping());
    test.clock.advance(4 * DAY);
    await maintain();
    expect(await rows()).toBe(1);
    test.clock.advance(DAY);
    await maintain();
    expect(await rows()).toBe(0);
    await called(9);
    await alert();
    expect(await rows()).toBe(1);
    await ada.signInAgain();
    await ada.delete('/shop');
    expect(await rows()).toBe(0);
  });
});

describe('unusually many calls', () => {
  /** So many calls at this hour of the day on so many days before. */
  const habit = async (calls: number, days: number) => {
    for (let day = 1; day <= days; day += 1) await called(calls, day * DAY);
  };
  /** Calls of this hour, once it is over. */
  const surge = async (calls: number) => {
    await called(calls);
    test.clock.advance(HOUR + LATE);
  };

  it('are told when an hour had more than three times the median of four weeks', async () => {
    await start({ ratePerSecond: 1 });
    await habit(50, 28);
    await called(9_000, 3 * DAY);
    await surge(150);
    expect(await subjects()).toEqual([]);
    test.clock.advance(DAY - HOUR - LATE);
    await surge(151);
    const [mail] = await mails();
    expect(mail?.subject).toBe(UNUSUAL);
    expect(mail?.text).toContain('On Jun 2, 2026, from 12:00 to 13:00 UTC');
    expect(mail?.text).toContain('called Card Payments 151 times; usually it is 50 times');
    expect(mail?.text).toContain('/portal/apps/shop/usage');
  });

  it('are told once a day', async () => {
    await start({ ratePerSecond: 1 });
    await called(1, 10 * DAY);
    await surge(500);
    expect(await subjects()).toEqual([UNUSUAL]);
    await surge(500);
    expect(await subjects()).toEqual([]);
    test.clock.advance(DAY);
    await surge(500);
    expect(await subjects()).toEqual([UNUSUAL]);
  });

  it('are not judged below a hundred, in the first week, or before the hour is written', async () => {
    await start({ ratePerSecond: 1 });
    await called(1, 6 * DAY);
    await surge(5_000);
    expect(await subjects()).toEqual([]);
    test.clock.advance(2 * DAY);
    await surge(99);
    expect(await subjects()).toEqual([]);
    await called(100);
    expect(await subjects()).toEqual([]);
    test.clock.advance(HOUR);
    expect(await subjects()).toEqual([UNUSUAL]);
  });

  it('are told once when two replicas look at the same time', async () => {
    await start({ ratePerSecond: 1 });
    const { clock, databaseUrl } = test;
    const other = await startTestPortal({ replicas: 1, clock, databaseUrl, extensions: { mailer: () => box } });
    try {
      await called(1, 10 * DAY);
      await surge(500);
      await Promise.all([alert(), other.portal.services.usage.alert(stopping())]);
      expect(await subjects()).toEqual([UNUSUAL]);
    } finally {
      await other.stop();
    }
  });
});
