import type { RedisLink } from '../cache/index.js';
import type { Database, Migrator } from '../database/index.js';
import type { ReadinessCheck } from '../http/index.js';
import type { DomainBase } from './base.js';
import { ClockWatch } from './clock-watch.js';

/** What a replica cannot do its work without (R02). Who answers also tells the time that all replicas share (R30). */
export function readinessChecks(base: DomainBase, migrator: Migrator): ReadinessCheck[] {
  const { database, redis, machineClock, vitals, logger } = base;
  const isShared = redis !== null || database.dialect === 'mysql';
  const watch = isShared && machineClock ? new ClockWatch(vitals, machineClock, logger) : null;
  const checks = [databaseAnswers(database, redis === null ? watch : null), migrationsAreDone(migrator)];
  return redis === null ? checks : [...checks, redisAnswers(redis, watch)];
}

/** Name of the check that jobs need not wait for. */
export const REDIS = 'redis';

function databaseAnswers(database: Database, watch: ClockWatch | null): ReadinessCheck {
  const check = async () => {
    if (watch === null) await database.select('SELECT 1');
    else await watch.compare(() => database.serverTime());
  };
  return { name: 'database', check };
}

function redisAnswers(redis: RedisLink, watch: ClockWatch | null): ReadinessCheck {
  const askTime = async () => {
    const [seconds, microseconds] = (await redis.send(['TIME'])) as [string, string];
    return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  };
  const check = async () => {
    if (watch === null) await redis.send(['PING']);
    else await watch.compare(askTime);
  };
  return { name: REDIS, check };
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
