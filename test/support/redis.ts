import { RedisConnection } from '../../src/cache/index.js';
import type { RedisConfig } from '../../src/cache/config.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { PATIENCE } from './patience.js';
import { startRedis } from './services.js';

/** A Redis that tests may do anything to. It keeps its port over its deaths. */
export interface BreakableRedis {
  readonly url: string;
  /** As a process that the kernel kills; everything it knew is gone. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  /** It accepts connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Whatever was done to it: it lives and answers. */
  mend(): Promise<void>;
  /** One command, by a connection of its own. */
  ask(...command: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startBreakableRedis(options: readonly string[] = []): Promise<BreakableRedis> {
  let service = await startRedis(options);
  const { port } = service;
  const url = `redis://127.0.0.1:${port}`;
  let isDead = false;
  const signal = (name: NodeJS.Signals) => process.kill(-service.pid, name);
  const revive = async () => {
    service = await startRedis(options, port);
    isDead = false;
  };
  return {
    url,
    kill: async () => {
      isDead = true;
      signal('SIGKILL');
      await service.stop();
    },
    revive,
    mend: async () => {
      if (isDead) await revive();
      else signal('SIGCONT');
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    ask: async (...command) => {
      const connection = new RedisConnection({ config: redisConfig(url), logger: silentLogger });
      try {
        return await connection.send(command);
      } finally {
        await connection.close();
      }
    },
    stop: () => service.stop(),
  };
}

/** A Redis for the tests of one `describe`, and connections to it that are closed after them. */
export interface RedisUnderTest extends BreakableRedis {
  readonly connections: readonly RedisConnection[];
  /** One more connection, as a replica of its own has it. */
  open(parts?: {
    readonly url?: string;
    readonly logger?: Logger;
    readonly timeout?: number | undefined;
  }): RedisConnection;
}

export function redisUnderTest(): RedisUnderTest {
  const connections: RedisConnection[] = [];
  const open: RedisUnderTest['open'] = ({ url = redis.url, logger = silentLogger, timeout = PATIENCE.redis } = {}) => {
    const connection = new RedisConnection({ config: redisConfig(url, { timeout }), logger });
    connections.push(connection);
    return connection;
  };
  // The rest is there once the tests begin.
  const redis: RedisUnderTest = Object.assign({ connections, open }, {} as BreakableRedis);
  beforeAll(async () => void Object.assign(redis, await startBreakableRedis()));
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await redis.stop();
  });
  return redis;
}

export function redisConfig(url: string, changes: Partial<RedisConfig> = {}): RedisConfig {
  return { url, prefix: 'test:', timeout: PATIENCE.redis, ...changes };
}
