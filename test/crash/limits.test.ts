import { setTimeout as pause } from 'node:timers/promises';
import type { PortalConfigInput } from '../../src/config/index.js';
import { planVersionRecord } from '../../src/domain/catalog/plans/plan-version.js';
import { planRecord } from '../../src/domain/catalog/plans/plan.js';
import { planText } from '../../src/domain/catalog/plans/plan-text.js';
import { CallLoad } from '../support/crash/call-load.js';
import { startCountedPortal, type CountedPortal } from '../support/crash/counted-portal.js';
import { describeWith } from '../support/describe-with.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';

const QUOTA = 10_000;
const CLIENTS = 200;
const FLUSH_S = 1;
/** How soon a process reads again what is about to be used up. */
const CLOSE_S = 1;
/** What a busy machine adds. */
const SLACK_S = 1;

/** Two processes; the key of their first app has the quota for each month. */
async function start(config: PortalConfigInput): Promise<CountedPortal> {
  const portal = await startCountedPortal({ usage: { flush: `${FLUSH_S}s` }, ...config });
  const { database } = portal;
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const texts = { slug: 'monthly', name: 'Monthly', priceUrl: null, keyLifetime: null };
  const planId = await planRecord.insert(database, { ...texts, approval: 'auto', status: 'active', ...times });
  const rates = { ratePerSecond: null, ratePerMinute: null, ratePerHour: null, concurrency: null };
  const quotas = { quotaPerDay: null, quotaPerMonth: QUOTA, quotaPerAnchoredMonth: null };
  const version = { planId: Number(planId), number: 1, status: 'active' as const, activatedAt: new Date() };
  const versionId = await planVersionRecord.insert(database, { ...version, ...rates, ...quotas, ...times });
  const plan = planText({ versionId: Number(versionId), day: 1, overrideId: null, resetId: null });
  await database.execute('UPDATE portal_gateway_key_products SET plan = ?', [plan]);
  return portal;
}

interface Asked {
  /** Calls that passed. */
  readonly passed: number;
  /** As many as one process let pass in the time for which it may know nothing of the calls of the other. */
  readonly late: number;
}

/** Asks with all clients at once until both processes have refused for longer than they can lack calls of each other. */
async function askUntilRefused(
  portal: CountedPortal,
  during?: (passed: () => number) => Promise<void>,
): Promise<Asked> {
  const replicas = [await portal.serve(), await portal.serve()];
  const loads = replicas.map(({ url }) => new CallLoad(url, portal.keys.slice(0, 1), CLIENTS / replicas.length));
  const passed = () => loads.reduce((sum, { answered }) => sum + answered, 0);
  const began = performance.now();
  await during?.(passed);
  let last = { passed: -1, at: performance.now() };
  while (passed() < QUOTA || performance.now() - last.at < (FLUSH_S + CLOSE_S + SLACK_S) * 1_000) {
    if (passed() !== last.passed) last = { passed: passed(), at: performance.now() };
    await pause(20);
  }
  await Promise.all(loads.map((load) => load.stop()));
  await Promise.all(replicas.map((replica) => replica.stop()));
  const perSecond = (passed() * 1_000) / (last.at - began) / replicas.length;
  for (const { refused } of loads) expect(Object.keys(refused)).toEqual(['403']);
  return { passed: passed(), late: Math.ceil(perSecond * (FLUSH_S + CLOSE_S + SLACK_S)) };
}

describeWith('redis', `a quota of ${QUOTA} calls, asked for by ${CLIENTS} clients of two replicas with Redis`, () => {
  let redis: BreakableRedis;
  let portal: CountedPortal;
  beforeEach(async () => {
    redis = await startBreakableRedis();
    portal = await start({ redis: { url: redis.url } });
  }, 90_000);
  afterEach(async () => {
    await portal.stop();
    await redis.stop();
  });

  it('lets exactly as many pass', async () => {
    expect((await askUntilRefused(portal)).passed).toBe(QUOTA);
  }, 120_000);

  it('lets at most those of a flush more pass when Redis dies in the middle, and not fewer', async () => {
    const { passed, late } = await askUntilRefused(portal, async (count) => {
      while (count() < QUOTA / 3) await pause(10);
      await redis.kill();
      await pause(500);
      await redis.revive();
    });
    expect(passed).toBeGreaterThanOrEqual(QUOTA);
    // Both count for themselves, without what the other has not written.
    expect(passed).toBeLessThanOrEqual(QUOTA + 2 * late);
  }, 120_000);
});

describe(`a quota of ${QUOTA} calls, asked for by ${CLIENTS} clients of two replicas without Redis`, () => {
  it('lets at most those of a flush more pass, and not fewer', async () => {
    const portal = await start({});
    const { passed, late } = await askUntilRefused(portal);
    await portal.stop();
    expect(passed).toBeGreaterThanOrEqual(QUOTA);
    expect(passed).toBeLessThanOrEqual(QUOTA + late);
  }, 120_000);
});
