import type { Logger } from '../core/index.js';
import type { RedisLink } from './redis-link.js';

/**
 * The eviction policy that Redis reports; null when it does not (some managed services hide it).
 * @throws RedisUnavailableError
 */
export async function evictionPolicy(link: RedisLink): Promise<string | null> {
  const info = await link.send(['INFO', 'memory']);
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? null;
}

/** R10: a Redis that evicts keys drops sessions, and people have to sign in again. */
export function warnOfEviction(link: RedisLink, logger: Logger): void {
  let hasWarned = false;
  link.onUp(() => {
    void evictionPolicy(link)
      .then((policy) => {
        if (hasWarned || policy === null || policy === 'noeviction') return;
        hasWarned = true;
        const message = 'Redis drops keys when it is full, sessions too: set its maxmemory-policy to noeviction';
        logger.warn({ maxmemory_policy: policy }, message);
      })
      .catch(() => undefined);
  });
}
