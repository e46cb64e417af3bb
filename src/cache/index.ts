export { DatabaseIdempotencyStore } from './database-idempotency-store.js';
export { OneTimeValues } from './one-time-values.js';
export { RedisUnavailableError } from './redis/errors.js';
export { evictionPolicy, warnOfEviction } from './redis/eviction.js';
export { redisScript, RedisLink } from './redis/redis-link.js';
export { sessionClient } from './redis/session-client.js';
export { DatabaseWebSessions, MemoryWebSessions } from './web-session-store.js';
