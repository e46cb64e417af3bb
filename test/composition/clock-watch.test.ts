import { ClockWatch } from '../../src/composition/readiness.js';
import { CorrectedClock, silentLogger, systemClock, ProcessMetrics, type Logger } from '../../src/core/index.js';

const seconds = () => systemClock.now().getTime() / 1_000;

describe('the watch over the clock (R30)', () => {
  function watch() {
    const [processMetrics, clock, warnings] = [new ProcessMetrics(), new CorrectedClock(), [] as unknown[]];
    const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };
    const watched = new ClockWatch(processMetrics, clock, logger);
    /** Seconds that the portal's clock is ahead of the shared one afterwards. */
    const compare = async (ahead: number) => {
      await watched.compare(() => Promise.resolve((seconds() - ahead) * 1_000));
      // Never -0.
      return Math.round(clock.now().getTime() / 1_000 - (seconds() - ahead)) + 0;
    };
    return { processMetrics, clock, warnings, watched, compare };
  }

  it('leaves alone what replicas bear of one another', async () => {
    const { compare, processMetrics, warnings } = watch();
    expect(await compare(1)).toBe(1);
    expect(processMetrics.read('clock_skew_seconds')).toBeCloseTo(1, 1);
    expect(warnings).toEqual([]);
  });

  it('makes up for more, in both directions, and lets go when the machine is right again', async () => {
    const { compare, processMetrics } = watch();
    expect([await compare(4), await compare(-3_600), await compare(0)]).toEqual([0, 0, 0]);
    expect(processMetrics.read('clock_skew_seconds')).toBeCloseTo(0, 1);
  });

  it('warns of what somebody should mend, once', async () => {
    const { compare, warnings } = watch();
    for (const ahead of [5, -60, -61]) await compare(ahead);
    expect(warnings).toEqual([{ clock_skew_seconds: -60 }]);
  });

  it('learns nothing from who does not answer', async () => {
    const { watched, clock } = watch();
    await expect(watched.compare(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    await expect(watched.compare(() => Promise.resolve(Number.NaN))).resolves.toBeUndefined();
    expect(Math.round(clock.now().getTime() / 1_000 - seconds())).toBe(0);
  });
});
