import { setTimeout as pause } from 'node:timers/promises';
import { PortalError } from '../../core/errors.js';
import type { Portal } from '../../portal.js';
import { describeDatabase, explainDatabaseFailure } from '../database-failure.js';
import type { ServerLog } from './server-log.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const READY_POLL_MS = 1_000;

interface Preparation {
  readonly serverLog: ServerLog;
  /** Run pending migrations instead of waiting for them to be run elsewhere. */
  readonly migrate: boolean;
  /** Called when something outside this process has to happen first, which may take long. */
  readonly onObstacle: () => Promise<void>;
  /** Called once requests can be served, even while something non-essential, such as Redis, is missing. */
  readonly onAdmitting: () => Promise<void>;
  /** Aborts all waiting. */
  readonly signal: AbortSignal;
}

/**
 * Makes a portal ready: its database answers and its migrations have run. If it listens meanwhile, liveness answers 200
 * and readiness 503, so that nothing restarts the process or sends it traffic.
 * @throws CommandFailedError when the database is unreachable for `database.startWait` seconds, or a migration fails
 */
export async function preparePortal(portal: Portal, preparation: Preparation): Promise<void> {
  const { serverLog, migrate, onObstacle } = preparation;
  await waitForDatabase(portal, preparation);
  const pending = await portal.migrator.findPending();
  if (pending.length > 0 && migrate) {
    const onStart = (name: string) => serverLog.say(`Migrating ${name}`, { migration: name });
    await portal.migrator.up({ onStart }).catch((error: unknown) => {
      throw explainDatabaseFailure(error, portal.config.database.url);
    });
  } else if (pending.length > 0) {
    const which = pending.length === 1 ? '1 migration is pending' : `${pending.length} migrations are pending`;
    serverLog.warn(`Not ready: ${which}. Run portal migrate, or start with --migrate.`, { pending: pending.length });
    await onObstacle();
  }
  await waitUntilReady(portal, preparation);
}

// R04: a database container often starts after the portal's.
async function waitForDatabase(portal: Portal, preparation: Preparation): Promise<void> {
  const { serverLog, onObstacle, signal } = preparation;
  const { url, startWait } = portal.config.database;
  const deadline = performance.now() + startWait * 1000;
  for (let wait = FIRST_PAUSE_MS, hasWarned = false; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      await portal.database.ping();
      return;
    } catch (error) {
      const left = deadline - performance.now();
      const failure = explainDatabaseFailure(error, url);
      if (left <= 0 || !isPassing(portal, error)) throw failure;
      const why = failure instanceof Error ? failure.message : String(failure);
      if (!hasWarned) {
        hasWarned = true;
        await onObstacle();
        serverLog.warn(`${why} Trying for ${startWait} s.`, { database: describeDatabase(url) });
      }
      await pause(Math.min(wait, left), undefined, { signal });
    }
  }
}

// A file that cannot be opened now will not open in a minute either.
function isPassing({ database }: Portal, error: unknown): boolean {
  return database.dialect === 'mysql' && error instanceof PortalError && error.status === 503;
}

async function waitUntilReady({ services, config }: Portal, preparation: Preparation): Promise<void> {
  const { serverLog, onAdmitting, signal } = preparation;
  for (let [hasWarned, admitting] = [false, false]; ;) {
    const { ready, failing } = await services.readiness.read();
    if (services.readiness.isOpen && !admitting) {
      admitting = true;
      await onAdmitting();
    }
    if (ready) return;
    if (!hasWarned && failing.includes('redis')) {
      hasWarned = true;
      const { host } = new URL(config.redis.url);
      serverLog.warn(`Not ready: no Redis answers at ${host} (redis.url). Trying on.`, { redis: host });
    }
    await pause(READY_POLL_MS, undefined, { signal });
  }
}
