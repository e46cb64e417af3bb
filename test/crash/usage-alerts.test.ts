import { setTimeout as pause } from 'node:timers/promises';
import { hourOf, usageHourRecord } from '../../src/domain/usage/usage.js';
import { folderWith, SECRETS } from '../config/support.js';
import { Developer } from '../support/apps.js';
import { createPlan, createProduct } from '../support/factories.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const APPS = 80;
/** The portals that are killed go by the clock of the machine. */
const now = () => new Date(performance.timeOrigin + performance.now());

let test: TestPortal;
let root: string;
let serving: ServingPortal[] = [];

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createPlan(test, { slug: 'small' }, { quotaPerMonth: 100 });
  const { id: productId } = await createProduct(test, { slug: 'payments', plans: ['small'] });
  const ada = await Developer.create(test);
  const at = now();
  for (let app = 1; app <= APPS; app += 1) {
    const { id: credentialId } = await ada.createApp(`app-${app}`, ['payments']);
    const row = { appId: app, credentialId, productId, planVersionId: 1, outcome: 'allowed', calls: 90 } as const;
    await usageHourRecord.insert(test.portal.database, { ...row, hour: hourOf(at), lastAt: at.getTime() });
  }
  root = await folderWith({
    'portal.config.ts': "export default { app: { env: 'development', url: 'http://127.0.0.1' } };",
  });
}, 120_000);
afterEach(async () => {
  await Promise.all(serving.map((portal) => portal.stop()));
  serving = [];
});
afterAll(() => test.stop());

async function serve(): Promise<ServingPortal> {
  const env = { ...SECRETS, DATABASE_URL: test.databaseUrl };
  const portal = await servePortal([], { cwd: root, env });
  serving.push(portal);
  return portal;
}

/** How often something is there for each app that has it at all. */
async function timesOf(sql: string): Promise<number[]> {
  const rows = await test.portal.database.select<{ times: number }>(sql);
  return rows.map(({ times }) => Number(times));
}
const alerts = () => timesOf('SELECT COUNT(*) AS times FROM portal_usage_alerts GROUP BY app_id');
const activities = () =>
  timesOf(
    "SELECT COUNT(*) AS times FROM portal_activities WHERE action = 'app.quota_reached' GROUP BY subject_type, subject_id",
  );
/** Read at once: a server may still commit what a dead process sent. */
async function leftBehind(): Promise<Record<'alerts' | 'mails' | 'activities', number>> {
  const [row] = await test.portal.database.select<Record<'alerts' | 'mails' | 'activities', number>>(
    `SELECT (SELECT COUNT(*) FROM portal_usage_alerts) AS alerts,
       (SELECT COUNT(*) FROM portal_mails WHERE template = 'quota-near') AS mails,
       (SELECT COUNT(*) FROM portal_activities WHERE action = 'app.quota_reached') AS activities`,
  );
  return { alerts: Number(row?.alerts), mails: Number(row?.mails), activities: Number(row?.activities) };
}

/** The lease of a process that was killed, as if its ten minutes were over. */
const releaseJob = () => test.portal.database.execute("DELETE FROM portal_job_leases WHERE name = 'usage-alerts'");

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await pause(5);
}

describe('processes that are killed while they tell of quotas', () => {
  it('leave exactly one alert, one mail and one activity for each app', async () => {
    let cut = 0;
    for (const least of [1, APPS / 4, APPS / 2]) {
      const victim = await serve();
      await until(async () => (await alerts()).length >= least);
      victim.process.kill('SIGKILL');
      await victim.ended;
      const left = await leftBehind();
      if (left.alerts < APPS) cut += 1;
      expect([left.mails, left.activities]).toEqual([left.alerts, left.alerts]);
      await releaseJob();
    }
    expect(cut).toBeGreaterThan(0);
    await serve();
    await until(async () => (await alerts()).length === APPS);
    await releaseJob();
    await serve();
    await until(async () => {
      const [row] = await timesOf(
        "SELECT COUNT(*) AS times FROM portal_job_leases WHERE name = 'usage-alerts' AND done_at IS NOT NULL GROUP BY name",
      );
      return row === 1;
    });
    expect(await alerts()).toEqual(Array(APPS).fill(1));
    expect(await activities()).toEqual(Array(APPS).fill(1));
    expect(await leftBehind()).toEqual({ alerts: APPS, mails: APPS, activities: APPS });
  }, 90_000);
});
