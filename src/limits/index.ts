export { AnnouncedClearings } from './announced-clearings.js';
export { DatabaseLimitStore } from './database-limit-store.js';
export { FallbackLimitStore } from './fallback-limit-store.js';
export {
  type AttemptOutcome,
  type AttemptRule,
  type ConsumeOutcome,
  type LimitStore,
  type LimitRefusal,
  type Reservation,
  type ReserveOutcome,
} from './limit-store.js';
export { MemoryLimitStore } from './memory-limit-store.js';
export { RedisLimitStore } from './redis-limit-store.js';
export { ReplicaCount } from './replica-count.js';
