import { ReadinessProbe } from '../../src/http/health.js';
import { FakeClock } from '../support/fake-clock.js';

describe('readiness (R02)', () => {
  /** A probe of a check that everything needs and one that most do without. */
  function probe(well: { migrations: boolean; redis: boolean }) {
    const clock = new FakeClock();
    const check = (name: keyof typeof well) => () => (well[name] ? Promise.resolve() : Promise.reject(new Error(name)));
    const checks = [
      { name: 'migrations', essential: true, check: check('migrations') },
      { name: 'redis', check: check('redis') },
    ];
    return { clock, readiness: new ReadinessProbe(checks, clock) };
  }

  it('lets nobody in before what everything needs is there, whatever else is missing', async () => {
    const well = { migrations: false, redis: false };
    const { clock, readiness } = probe(well);
    await expect(readiness.admit()).rejects.toMatchObject({ status: 503, detail: 'migrations: not ready yet' });
    well.migrations = true;
    clock.advance(1);
    await readiness.admit();
    expect(readiness.isOpen).toBe(true);
    expect(await readiness.read()).toEqual({ ready: false, failing: ['redis'] });
  });

  it('lets everybody in from the moment that it said so, however long a check takes afterwards', async () => {
    const well = { migrations: true, redis: true };
    const { clock, readiness } = probe(well);
    expect((await readiness.read()).ready).toBe(true);
    well.migrations = false;
    clock.advance(2);
    await readiness.admit();
  });
});
