export { AnnouncedClearings } from './announced-clearings.js';
export { DatabaseIdempotencyStore } from './database-idempotency-store.js';
export { DatabaseLimitStore } from './database-limit-store.js';
export { KeptBytes } from './kept-bytes.js';
export {
  type AttemptOutcome,
  type AttemptRule,
  type ConsumeOutcome,
  type LimitStore,
  type Refusal,
  type Reservation,
  type ReserveOutcome,
} from './limit-store.js';
export { MemoryLimitStore } from './memory-limit-store.js';
export { evictionPolicy, warnOfEviction } from './redis/eviction.js';
export { OneTimeValues } from './one-time-values.js';
export { FallbackLimitStore } from './redis/fallback-limit-store.js';
export { RedisLimitStore } from './redis/redis-limit-store.js';
export { RedisLink } from './redis/redis-link.js';
export { ReplicaCount } from './redis/replica-count.js';
export { sessionClient } from './redis/session-client.js';
export { DatabaseWebSessions, MemoryWebSessions } from './web-session-store.js';
