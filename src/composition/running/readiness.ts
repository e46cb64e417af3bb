import type { RedisLink } from '../../cache/index.js';
import type { Database, Migrator } from '../../database/index.js';
import type { ReadinessCheck } from '../../http/index.js';
import type { DomainBase } from '../base.js';

/** What a replica cannot do its work without (R02). */
export function readinessChecks({ database, redis }: DomainBase, migrator: Migrator): ReadinessCheck[] {
  const checks = [databaseAnswers(database), migrationsAreDone(migrator)];
  return redis === null ? checks : [...checks, redisAnswers(redis)];
}

/** Name of the check that jobs need not wait for. */
export const REDIS = 'redis';

function databaseAnswers(database: Database): ReadinessCheck {
  return { name: 'database', check: async () => void (await database.select('SELECT 1')) };
}

function redisAnswers(redis: RedisLink): ReadinessCheck {
  return { name: REDIS, check: async () => void (await redis.send(['PING'])) };
}

// Once done they stay done for this process; only a new release brings new ones.
function migrationsAreDone(migrator: Migrator): ReadinessCheck {
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
