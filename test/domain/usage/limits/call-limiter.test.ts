import { RedisConnection } from '../../../../src/cache/index.js';
import { createLogger, ProcessMetrics, silentLogger } from '../../../../src/core/index.js';
import type { Database } from '../../../../src/database/index.js';
import { CallLimiter } from '../../../../src/domain/usage/limits/call-limiter.js';
import type { KeyDecision } from '../../../../src/gateway/index.js';
import { describeWith } from '../../../support/describe-with.js';
import { redisConfig, startBreakableRedis } from '../../../support/redis.js';
import { createPlan } from '../../../support/factories.js';
import { freePort } from '../../../support/ports.js';
import { startTestPortal, type TestPortal } from '../../../support/test-portal.js';

let test: TestPortal;
let plan: string;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  const { id } = await createPlan(test, { slug: 'thrice' }, { quotaPerDay: 3 });
  const [version] = await test.portal.database.select<{ id: number }>(
    'SELECT id FROM portal_plan_versions WHERE plan_id = ?',
    [id],
  );
  plan = `${version?.id}.1`;
});
afterAll(() => test.stop());

const call = (more: object = {}): KeyDecision => ({
  ...{ allowed: true, developer: '1', app: 'shop', keyId: '5', appId: '7', productId: '9', products: ['payments'] },
  ...{ plan, ...more },
});

interface Started {
  readonly limiter: CallLimiter;
  readonly metrics: ProcessMetrics;
  readonly log: string[];
}

function start(redis: RedisConnection | null, database: Database = test.portal.database): Started {
  const [log, metrics]: [string[], ProcessMetrics] = [[], new ProcessMetrics()];
  const logger = createLogger('warn', { write: (line) => void log.push(line) });
  const { clock } = test;
  const progress = { begun: 0, isFlushing: false };
  const parts = { database, redis, clock, isMachineClock: false, progress, flush: 5, logger };
  return { limiter: new CallLimiter({ ...parts, processMetrics: metrics }), metrics, log };
}

const passedOf = async (calls: number, { limiter }: Started) => {
  const decisions = await Promise.all(Array.from({ length: calls }, () => limiter.decide(call())));
  return decisions.filter((decision) => decision === null || decision.passes).length;
};

describe('a call', () => {
  it('has no limits without a plan, with one that is none of ours, and where the gateway does not tell whose it is', async () => {
    const { limiter } = start(null);
    const refused: KeyDecision = { allowed: false, reason: 'revoked_key', keyId: '5', appId: '7' };
    for (const decision of [refused, call({ plan: undefined }), call({ plan: 'gold' }), call({ plan: '999999.1' })])
      expect(await limiter.decide(decision)).toBeNull();
    for (const more of [{ appId: undefined }, { productId: undefined }, { appId: 'x' }])
      expect(await limiter.decide(call(more))).toBeNull();
  });

  it('is held against its plan by this process alone while Redis is away, which metrics and one line of the log say', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const connection = new RedisConnection({ config: redisConfig(url), logger: silentLogger });
    const started = start(connection);
    expect(await passedOf(50, started)).toBe(3);
    expect(started.metrics.readCount('call_limit_fallbacks_total')).toBe(50);
    expect(started.log).toHaveLength(1);
    expect(started.log[0]).toContain('by this process alone');
    await connection.close();
  });

  it('passes when neither its plan nor what was called can be read, which metrics and one line of the log say', async () => {
    const failing = {
      dialect: 'sqlite',
      select: () => Promise.reject(new Error('away')),
    } as unknown as Database;
    const unread = start(null, failing);
    expect(await passedOf(20, unread)).toBe(20);
    expect(unread.metrics.readCount('call_limit_unread_total')).toBe(20);
    expect(unread.log).toHaveLength(1);
  });
});

describeWith('redis', 'a Redis that hangs', () => {
  it('is waited for once, and not by the calls after it', async () => {
    const redis = await startBreakableRedis();
    const connection = new RedisConnection({ config: redisConfig(redis.url, { timeout: 500 }), logger: silentLogger });
    const started = start(connection);
    expect(await passedOf(1, started)).toBe(1);
    redis.freeze();
    const wait = async () => {
      const began = performance.now();
      await passedOf(20, started);
      return performance.now() - began;
    };
    const [first, second] = [await wait(), await wait()];
    redis.thaw();
    expect(started.metrics.readCount('call_limit_fallbacks_total')).toBe(40);
    expect(first).toBeGreaterThanOrEqual(400);
    expect(second).toBeLessThan(first);
    await connection.close();
    await redis.stop();
  });
});
