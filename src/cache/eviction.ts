import type { Logger } from '../core/index.js';
import type { RedisConnection } from './redis-connection.js';

/**
 * The eviction policy that Redis reports; null when it does not (some managed services hide it).
 * @throws RedisUnavailableError
 */
export async function evictionPolicy(connection: RedisConnection): Promise<string | null> {
  const info = await connection.send(['INFO', 'memory']);
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? null;
}

/** R10: a Redis that evicts keys drops sessions, and people have to sign in again. */
export function warnOfEviction(connection: RedisConnection, logger: Logger): void {
  let hasWarned = false;
  connection.onUp(() => {
    void evictionPolicy(connection)
      .then((policy) => {
        if (hasWarned || policy === null || policy === 'noeviction') return;
        hasWarned = true;
        const message = 'Redis drops keys when it is full, sessions too: set its maxmemory-policy to noeviction';
        logger.warn({ maxmemory_policy: policy }, message);
      })
      .catch(() => undefined);
  });
}
