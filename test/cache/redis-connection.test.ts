import { type RedisConnection, warnOfEviction } from '../../src/cache/index.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { describeWith } from '../support/describe-with.js';
import { freePort } from '../support/ports.js';
import { redisUnderTest } from '../support/redis.js';

/** What a test waits in vain for a frozen Redis (R07, R08), and no answer of one that lives takes here. */
const LIMIT_MS = 2_000;
const TOO_SLOW = ['redis_unavailable', 'TimeLimitError'];
/** Without having waited. */
const AWAY = ['redis_unavailable', 'Redis is away'];

/** Code and reason of a failure. */
async function failureOf(work: Promise<unknown>): Promise<unknown[]> {
  const { code, detail, cause } = await work.then(
    (answer) => Promise.reject(new Error(`It answered: ${String(answer)}`)),
    (error: { code: string; detail?: string; cause?: Error }) => error,
  );
  return [code, cause?.message ?? detail];
}

function listener() {
  const lines: string[] = [];
  const note = (_fields: unknown, message: string) => void lines.push(message);
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  return { lines, logger };
}

describeWith('redis', 'the way to Redis', () => {
  const redis = redisUnderTest();
  const open = (url = redis.url, logger = silentLogger, timeout?: number) => redis.open({ url, logger, timeout });
  const untilBack = async (connection: RedisConnection) => {
    while ((await connection.send(['PING']).catch(() => null)) !== 'PONG') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('fails at once while Redis is dead, says so once, and finds it again by itself', async () => {
    const { lines, logger } = listener();
    const connection = open(redis.url, logger);
    await connection.send(['SET', 'a', '1']);
    await redis.kill();
    for (const [code, reason] of await Promise.all(
      Array.from({ length: 50 }, () => failureOf(connection.send(['GET', 'a']))),
    )) {
      expect([code, String(reason)]).toEqual([
        'redis_unavailable',
        expect.not.stringMatching(/TimeLimit|no answer within/),
      ]);
    }
    await redis.revive();
    await untilBack(connection);
    expect(lines).toEqual(['Redis is away', 'Redis is back']);
  });

  it('waits for a frozen one but once, however many ask', async () => {
    const connection = open(redis.url, silentLogger, LIMIT_MS);
    await connection.send(['PING']);
    redis.freeze();
    const ask = () => Promise.all(Array.from({ length: 50 }, () => failureOf(connection.send(['GET', 'a']))));
    const [together, later] = [await ask(), await ask()];
    const fresh = await failureOf(open(redis.url, silentLogger, 100).send(['PING']));
    redis.thaw();
    expect(together[0]).toEqual(TOO_SLOW);
    // The first one that waited in vain ends the connection for the others.
    for (const [code] of together) expect(code).toBe('redis_unavailable');
    expect(later).toEqual(Array(50).fill(AWAY));
    expect(fresh).toEqual(['redis_unavailable', 'no answer within 100 ms']);
    await untilBack(connection);
  });

  it('stays up when Redis refuses a command, for example because it is full', async () => {
    const connection = open();
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1mb');
    await expect(connection.send(['SET', 'b', 'x'.repeat(100_000)])).rejects.toMatchObject({
      code: 'redis_unavailable',
    });
    expect(await connection.send(['PING'])).toBe('PONG');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('never begins where nobody listens, and ends when it is closed', async () => {
    const connection = open(`redis://127.0.0.1:${await freePort()}`);
    const [code, reason] = await failureOf(connection.send(['PING']));
    expect([code, String(reason)]).toEqual([
      'redis_unavailable',
      expect.not.stringMatching(/TimeLimit|no answer within/),
    ]);
    await connection.close();
    await expect(connection.send(['PING'])).rejects.toMatchObject({ code: 'redis_unavailable' });
  });

  describe('warns of a Redis that drops sessions (R10)', () => {
    it.each([
      ['allkeys-lru', 1],
      ['noeviction', 0],
    ])('%s', async (policy, warnings) => {
      await redis.ask('CONFIG', 'SET', 'maxmemory-policy', policy);
      const { lines, logger } = listener();
      const connection = open();
      warnOfEviction(connection, logger);
      await connection.send(['PING']);
      await connection.send(['PING']);
      await new Promise((resolve) => setImmediate(resolve));
      expect(lines).toHaveLength(warnings);
    });
  });
});
