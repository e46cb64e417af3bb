import { setTimeout as pause } from 'node:timers/promises';
import { findService } from '../support/binaries.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { insertProductBeside } from '../support/insert-product.js';
import { PacedLoad, percentile, type Measured } from '../support/chaos/paced-load.js';
import { addTraffic } from '../support/chaos/traffic.js';
import { metricsAt, type MetricsReader } from '../support/metrics.js';
import { freePort } from '../support/ports.js';
import { UNLIMITED } from '../support/project.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';

const MINUTES = Number(process.env.PORTAL_CHAOS_MINUTES ?? 2);
const SAMPLE_EVERY_MS = 2_000;
/** Heaps grow to their working size first. */
const WARM_UP_SHARE = 0.4;
/** R32 */
const MOST_GROWTH = 1.1;
const EVENT_LOOP_P99_MS = 50;
const PRODUCT = 'payments';

interface Sample {
  readonly memory: number;
  readonly handles: number;
  /** Milliseconds: p99 of the time since the last sample. */
  readonly lag: number;
}

describe('a process that works for a long time', () => {
  let redis: BreakableRedis | null;
  let crew: Crew;
  let metrics: MetricsReader;
  beforeAll(async () => {
    redis = findService('redis') === undefined ? null : await startBreakableRedis();
    const shared = redis === null ? {} : { session: { store: 'redis' as const }, redis: { url: redis.url } };
    const port = await freePort();
    const limits = { ...UNLIMITED, forgotPassword: { perAccount: 1_000_000, perIp: 1_000_000 } };
    crew = await startCrew({ replicas: 1, config: { ...shared, limits, metrics: { port } } });
    metrics = metricsAt(port);
    await insertProductBeside(crew.project.databaseUrl, PRODUCT);
  }, 60_000);
  afterAll(async () => {
    await crew.stop();
    await redis?.stop();
  });

  it(
    `R32: ${MINUTES} minutes at 100 requests a second grow no memory and no handles, and never block the event loop`,
    async () => {
      const load = new PacedLoad();
      const [client] = crew.clients;
      addTraffic(load, { name: 'soak', client, person: await crew.signUp(), product: PRODUCT, times: 2 });
      await pause(MINUTES * 60_000 * WARM_UP_SHARE);
      await sample();
      const samples: Sample[] = [];
      const end = performance.now() + MINUTES * 60_000 * (1 - WARM_UP_SHARE);
      while (performance.now() < end) {
        await pause(SAMPLE_EVERY_MS);
        samples.push(await sample());
      }
      const kinds = Object.values(await load.stop());
      for (const { statuses, faults } of kinds)
        expect([faults, Object.keys(statuses).filter((status) => !/^20/.test(status))]).toEqual([[], []]);
      const quarter = Math.ceil(samples.length / 4);
      const [first, last] = [samples.slice(0, quarter), samples.slice(-quarter)];
      const growth = median(last, 'memory') / median(first, 'memory');
      expect(growth).toBeLessThan(MOST_GROWTH);
      expect(median(samples, 'lag')).toBeLessThan(EVENT_LOOP_P99_MS);
      // Connections of the pool and of the clients come and go by a few.
      expect(Math.abs(median(last, 'handles') - median(first, 'handles'))).toBeLessThanOrEqual(10);
      finding(
        'R32',
        `${MINUTES} minutes of 100 requests a second, reads and writes`,
        `${summaryOf(kinds)}; memory ${mebibytes(median(first, 'memory'))} → ${mebibytes(median(last, 'memory'))} MiB (${((growth - 1) * 100).toFixed(1)} %), ` +
          `event loop p99 ${median(samples, 'lag').toFixed(0)} ms (median of ${samples.length} samples), handles ${median(first, 'handles')} → ${median(last, 'handles')}`,
      );
    },
    (MINUTES + 1) * 60_000,
  );

  async function sample(): Promise<Sample> {
    const [memory, handles, lag] = await metrics.readAll([
      'process_resident_memory_bytes',
      'nodejs_active_handles_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]);
    return { memory, handles, lag: lag * 1_000 };
  }
});

const median = (samples: readonly Sample[], what: keyof Sample) =>
  percentile(
    samples.map((one) => one[what]),
    0.5,
  );
const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);

function summaryOf(kinds: readonly Measured[]): string {
  const times = kinds.flatMap((kind) => kind.times);
  return `${times.length} requests, none failed, p99 ${Math.round(percentile(times, 0.99))} ms`;
}
