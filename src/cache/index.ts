export { DatabaseIdempotencyStore } from './database-idempotency-store.js';
export { OneTimeValues } from './one-time-values.js';
export { RedisUnavailableError } from './errors.js';
export { evictionPolicy, warnOfEviction } from './eviction.js';
export { REDIS_NOW, redisScript, RedisConnection } from './redis-connection.js';
export { sessionClient } from './session-client.js';
export { DatabaseWebSessions, MemoryWebSessions } from './web-session-store.js';
