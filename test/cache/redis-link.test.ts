import { RedisLink, warnOfEviction } from '../../src/cache/index.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { describeWith } from '../support/describe-with.js';
import { freePort } from '../support/ports.js';
import { redisConfig, startBreakableRedis, type BreakableRedis } from '../support/redis.js';

/** No answer may take longer (R07, R08). */
const LIMIT_MS = 1_000;

async function timed(work: Promise<unknown>): Promise<{ outcome: unknown; took: number }> {
  const start = performance.now();
  const outcome = await work.catch((error: { code: unknown }) => error.code);
  return { outcome, took: performance.now() - start };
}

function listener() {
  const lines: string[] = [];
  const note = (_fields: unknown, message: string) => void lines.push(message);
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  return { lines, logger };
}

describeWith('redis', 'the way to Redis', () => {
  let redis: BreakableRedis;
  const links: RedisLink[] = [];
  beforeAll(async () => {
    redis = await startBreakableRedis();
  });
  afterAll(async () => {
    for (const link of links) await link.close();
    await redis.stop();
  });

  function open(url = redis.url, logger = silentLogger): RedisLink {
    const link = new RedisLink({ config: redisConfig(url), logger });
    links.push(link);
    return link;
  }
  const untilBack = async (link: RedisLink) => {
    const start = performance.now();
    while ((await link.send(['PING']).catch(() => null)) !== 'PONG') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return performance.now() - start;
  };

  it('fails at once while Redis is dead, says so once, and finds it again by itself within 5 s', async () => {
    const { lines, logger } = listener();
    const link = open(redis.url, logger);
    await link.send(['SET', 'a', '1']);
    await redis.kill();
    for (const { outcome, took } of await Promise.all(
      Array.from({ length: 50 }, () => timed(link.send(['GET', 'a']))),
    )) {
      expect([outcome, took < LIMIT_MS]).toEqual(['redis_unavailable', true]);
    }
    await redis.revive();
    expect(await untilBack(link)).toBeLessThan(5_000);
    expect(lines).toEqual(['Redis is away', 'Redis is back']);
  });

  it('waits for a frozen one but once, however many ask', async () => {
    const link = open();
    await link.send(['PING']);
    redis.freeze();
    const together = await Promise.all(Array.from({ length: 50 }, () => timed(link.send(['GET', 'a']))));
    const later = await Promise.all(Array.from({ length: 50 }, () => timed(link.send(['GET', 'a']))));
    const fresh = await timed(open().send(['PING']));
    redis.thaw();
    for (const { outcome, took } of [...together, fresh])
      expect([outcome, took < LIMIT_MS]).toEqual(['redis_unavailable', true]);
    for (const { outcome, took } of later) expect([outcome, took < 100]).toEqual(['redis_unavailable', true]);
    expect(await untilBack(link)).toBeLessThan(5_000);
  });

  it('stays up when Redis refuses a command, for example because it is full', async () => {
    const link = open();
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1mb');
    await expect(link.send(['SET', 'b', 'x'.repeat(100_000)])).rejects.toMatchObject({ code: 'redis_unavailable' });
    expect(await link.send(['PING'])).toBe('PONG');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('never begins where nobody listens, and ends when it is closed', async () => {
    const link = open(`redis://127.0.0.1:${await freePort()}`);
    const { outcome, took } = await timed(link.send(['PING']));
    expect([outcome, took < LIMIT_MS]).toEqual(['redis_unavailable', true]);
    await link.close();
    await expect(link.send(['PING'])).rejects.toMatchObject({ code: 'redis_unavailable' });
  });

  describe('warns of a Redis that drops sessions (R10)', () => {
    it.each([
      ['allkeys-lru', 1],
      ['noeviction', 0],
    ])('%s', async (policy, warnings) => {
      await redis.ask('CONFIG', 'SET', 'maxmemory-policy', policy);
      const { lines, logger } = listener();
      const link = open();
      warnOfEviction(link, logger);
      await link.send(['PING']);
      await link.send(['PING']);
      await new Promise((resolve) => setImmediate(resolve));
      expect(lines).toHaveLength(warnings);
    });
  });
});
