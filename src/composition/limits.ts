import {
  AnnouncedClearings,
  DatabaseLimitStore,
  FallbackLimitStore,
  MemoryLimitStore,
  RedisLimitStore,
  ReplicaCount,
  type LimitStore,
} from '../limits/index.js';
import type { DomainBase } from './base.js';

/** The counters of every limit, of the portal and of modules: `limits.store`. */
export function createLimitStore({ config, redis, database, logger, vitals, ...clocks }: DomainBase): LimitStore {
  const { clock, machineClock } = clocks;
  if (config.limits.store === 'database') return new DatabaseLimitStore({ database, clock, logger });
  const own = new AnnouncedClearings({ store: new MemoryLimitStore(clock), database, clock });
  if (config.limits.store === 'memory' || redis === null) return own;
  const replicas = new ReplicaCount(redis, logger);
  // A portal with a clock of its own counts by that; else Redis has the one clock of all replicas (R30).
  const shared = new RedisLimitStore({ link: redis, clock: machineClock ? null : clock });
  return new FallbackLimitStore({ shared, own, replicas: () => replicas.current, clock, logger, vitals });
}
