import { DatabaseLimitStore, MemoryLimitStore, type LimitStore } from '../cache/index.js';
import type { DomainBase } from './base.js';

/** The counters of every limit, of the portal and of modules. */
export function createLimitStore(base: DomainBase): LimitStore {
  return base.config.limits.store === 'database' ? new DatabaseLimitStore(base) : new MemoryLimitStore(base.clock);
}
