import { silentLogger } from '../../../src/core/index.js';
import { JobLeases, JobRunner, type Job } from '../../../src/jobs/index.js';
import { createAdmin, createRole } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const JOBS = '/api/v1/admin/jobs';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

describe('GET /admin/jobs', () => {
  it('names every job with its interval, and asks for portal.jobs.view', async () => {
    const role = await createRole(test, ['portal.admin.access', 'portal.jobs.view']);
    const token = await signIn(test, await createAdmin(test, { roles: [role] }));
    const { json } = await test.client.get(JOBS, { token });
    expect(json.data.map(({ name, every, exclusive }: Record<string, unknown>) => [name, every, exclusive])).toEqual(
      expect.arrayContaining([
        ['expiring-keys', 3_600, true],
        ['gateway-recovery', 10, false],
        ['housekeeping', 3_600, true],
        ['mail', 15, false],
        ['prune-tokens', 3_600, true],
        ['verify-activities', 600, true],
        ['waiting-approvals', 60, true],
      ]),
    );
    const blind = await createRole(test, ['portal.admin.access', 'portal.mails.view']);
    const other = await signIn(test, await createAdmin(test, { roles: [blind] }));
    expect((await test.client.get(JOBS, { token: other })).status).toBe(403);
  });
});

describe('how a job went', () => {
  const start = (job: Omit<Job, 'every'>) => {
    const leases = new JobLeases(test.portal.database, test.clock);
    const isReady = () => Promise.resolve(true);
    const parts = { leases, clock: test.clock, logger: silentLogger, isReady };
    const runner = new JobRunner(parts, [{ every: 60, ...job }]);
    runner.start();
    return runner;
  };
  const until = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
  };

  it.each([true, false])(
    'is told after each run, the failure without what a server said; exclusive: %s',
    async (exclusive) => {
      const name = `walk-${exclusive}`;
      let fails = true;
      let ran: () => void = () => undefined;
      const runner = start({
        ...{ name, exclusive },
        run: async () => {
          await new Promise<void>((resolve) => (ran = resolve));
          if (fails) throw Object.assign(new Error('canary of the server'), { code: 'ECONNREFUSED' });
        },
      });
      const state = async () => (await runner.describe()).find((job) => job.name === name);
      await until(async () => (await state())?.isRunning === true);
      const began = test.clock.now();
      expect(await state()).toMatchObject({ startedAt: began, endedAt: null, outcome: null, error: null });
      test.clock.advance(5);
      ran();
      await until(async () => (await state())?.isRunning === false);
      const failed = { startedAt: began, endedAt: test.clock.now(), outcome: 'failed', error: 'Error ECONNREFUSED' };
      expect(await state()).toMatchObject(failed);
      await runner.stop();
      fails = false;
      test.clock.advance(3_600);
      const again = start({ name, exclusive, run: () => Promise.resolve() });
      const next = async () => (await again.describe()).find((job) => job.name === name);
      await until(async () => (await next())?.outcome === 'succeeded');
      expect(await next()).toMatchObject({ isRunning: false, endedAt: test.clock.now(), error: null });
      await again.stop();
    },
  );
});
