import type { RedisLink } from '../cache/index.js';
import type { Database, Migrator } from '../database/index.js';
import type { ReadinessCheck } from '../http/index.js';

/** Name of the check that jobs need not wait for. */
export const REDIS = 'redis';

export function databaseAnswers(database: Database): ReadinessCheck {
  return { name: 'database', check: async () => void (await database.select('SELECT 1')) };
}

export function redisAnswers(redis: RedisLink): ReadinessCheck {
  return { name: REDIS, check: async () => void (await redis.send(['PING'])) };
}

// Once done they stay done for this process; only a new release brings new ones.
export function migrationsAreDone(migrator: Migrator): ReadinessCheck {
  let done = false;
  return {
    name: 'migrations',
    essential: true,
    check: async () => {
      done ||= (await migrator.pending()).length === 0;
      if (!done) throw new Error('migrations are pending');
    },
  };
}
