import type { PortalConfigInput } from '../../src/config/index.js';
import { startBreakableRedis, type BreakableRedis } from './redis.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from './test-portal.js';

/** Two replicas over one database, one Redis and one clock. */
export interface Replicas {
  one: TestPortal;
  two: TestPortal;
  redis: BreakableRedis;
  stop(): Promise<void>;
}

export async function startReplicas(options: TestPortalOptions = {}): Promise<Replicas> {
  const redis = await startBreakableRedis();
  const config: PortalConfigInput = { session: { store: 'redis' }, redis: { url: redis.url }, ...options.config };
  const one = await startTestPortal({ ...options, config });
  const two = await startTestPortal({ ...options, config, clock: one.clock, databaseUrl: one.databaseUrl });
  return {
    ...{ one, two, redis },
    stop: async () => {
      await two.stop();
      await one.stop();
      await redis.stop();
    },
  };
}
