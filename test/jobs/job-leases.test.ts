import { silentLogger } from '../../src/core/index.js';
import { JobLeases, JobRunner } from '../../src/jobs/index.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let leases: JobLeases;
beforeAll(async () => {
  test = await startTestPortal();
  leases = new JobLeases(test.portal.database, test.clock);
});
afterAll(() => test.stop());

describe('the lease of a job (R38)', () => {
  it('goes to one of many replicas, once per interval', async () => {
    const taken = await Promise.all(Array.from({ length: 8 }, () => leases.take('prune', 60)));
    const [token, ...others] = taken.filter((lease) => lease !== null);
    expect(others).toEqual([]);
    await leases.complete('prune', token ?? '');
    expect(await leases.take('prune', 60)).toBeNull();
    test.clock.advance(60);
    expect(await leases.take('prune', 60)).not.toBeNull();
  });

  it('is free again some minutes after its holder died', async () => {
    expect(await leases.take('crashed', 1)).not.toBeNull();
    test.clock.advance(60);
    expect(await leases.take('crashed', 1)).toBeNull();
    test.clock.advance(600);
    expect(await leases.take('crashed', 1)).not.toBeNull();
  });
});

describe('a job that is woken', () => {
  it('runs at once; woken while it runs, once more after it', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    let ran: () => void = () => undefined;
    const twice = new Promise<void>((resolve) => (ran = resolve));
    const job = {
      ...{ name: 'mail', every: 3_600, exclusive: false },
      run: () => {
        runs += 1;
        if (runs === 2) ran();
        return runs === 1 ? new Promise<void>((resolve) => (finish = resolve)) : Promise.resolve();
      },
    };
    const isReady = () => Promise.resolve(true);
    const runner = new JobRunner({ leases, clock: test.clock, logger: silentLogger, isReady }, [job]);
    runner.wake('mail');
    expect(runs).toBe(0);
    runner.start();
    const started = new Promise<void>((resolve) => {
      const look = () => (runs === 1 ? resolve() : void setImmediate(look));
      look();
    });
    await started;
    runner.wake('mail');
    runner.wake('mail');
    finish();
    await twice;
    await runner.stop();
    expect(runs).toBe(2);
  });
});

describe('a job that runs long', () => {
  it('is told when the process ends, which waits for it', async () => {
    const happened: string[] = [];
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const run = (stopping: AbortSignal) =>
      new Promise<void>((resolve) => {
        stopping.addEventListener('abort', () => {
          happened.push('told');
          resolve();
        });
        begin();
      });
    const isReady = () => Promise.resolve(true);
    const parts = { leases, clock: test.clock, logger: silentLogger, isReady };
    const runner = new JobRunner(parts, [{ name: 'long', every: 3_600, exclusive: false, run }]);
    runner.start();
    await begun;
    await runner.stop();
    happened.push('stopped');
    expect(happened).toEqual(['told', 'stopped']);
  });
});
