export { DatabaseIdempotencyStore } from './database-idempotency-store.js';
export { DatabaseLimitStore } from './database-limit-store.js';
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
export { DatabaseWebSessions, MemoryWebSessions, type WebSessionStore } from './web-session-store.js';
