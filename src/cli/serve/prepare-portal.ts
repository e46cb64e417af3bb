import { setTimeout as pause } from 'node:timers/promises';
import { PortalError } from '../../core/errors.js';
import type { Portal } from '../../portal.js';
import { describeDatabase, explainDatabaseFailure } from '../database-failure.js';
import type { ServerLog } from './server-log.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const READY_POLL_MS = 1_000;

interface Preparation {
  readonly voice: ServerLog;
  /** Run what is pending instead of waiting for somebody to do it. */
  readonly migrate: boolean;
  /** Called when somebody else has to do something first, so that it may take long. */
  readonly onObstacle: () => Promise<void>;
  /** Called once requests can be answered; something that most of them do without, Redis for one, may still be missing. */
  readonly onAdmitting: () => Promise<void>;
  /** Ends every waiting. */
  readonly signal: AbortSignal;
}

/**
 * Brings a portal to readiness: its database answers, its migrations have run. When it listens meanwhile, liveness answers
 * 200 and readiness 503, so that nothing restarts the process and nobody sends it traffic.
 * @throws CommandFailedError when the database stays away for `database.startWait` seconds, or a migration fails
 */
export async function preparePortal(portal: Portal, preparation: Preparation): Promise<void> {
  const { voice, migrate, onObstacle } = preparation;
  await untilDatabaseAnswers(portal, preparation);
  const pending = await portal.migrator.pending();
  if (pending.length > 0 && migrate) {
    const onStart = (name: string) => voice.say(`Migrating ${name}`, { migration: name });
    await portal.migrator.up({ onStart }).catch((error: unknown) => {
      throw explainDatabaseFailure(error, portal.config.database.url);
    });
  } else if (pending.length > 0) {
    const which = pending.length === 1 ? '1 migration is pending' : `${pending.length} migrations are pending`;
    voice.warn(`Not ready: ${which}. Run portal migrate, or start with --migrate.`, { pending: pending.length });
    await onObstacle();
  }
  await untilReady(portal, preparation);
}

// R04: the database of a container often starts after its portal.
async function untilDatabaseAnswers(portal: Portal, preparation: Preparation): Promise<void> {
  const { voice, onObstacle, signal } = preparation;
  const { url, startWait } = portal.config.database;
  const deadline = performance.now() + startWait * 1000;
  for (let wait = FIRST_PAUSE_MS, told = false; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      await portal.database.select('SELECT 1');
      return;
    } catch (error) {
      const left = deadline - performance.now();
      const failure = explainDatabaseFailure(error, url);
      if (left <= 0 || !isPassing(portal, error)) throw failure;
      const why = failure instanceof Error ? failure.message : String(failure);
      if (!told) {
        told = true;
        await onObstacle();
        voice.warn(`${why} Trying for ${startWait} s.`, { database: describeDatabase(url) });
      }
      await pause(Math.min(wait, left), undefined, { signal });
    }
  }
}

// A file that cannot be opened now cannot be opened in a minute.
function isPassing({ database }: Portal, error: unknown): boolean {
  return database.dialect === 'mysql' && error instanceof PortalError && error.status === 503;
}

async function untilReady({ services, config }: Portal, preparation: Preparation): Promise<void> {
  const { voice, onAdmitting, signal } = preparation;
  for (let [told, admitting] = [false, false]; ;) {
    const { ready, failing } = await services.readiness.read();
    if (services.readiness.isOpen && !admitting) {
      admitting = true;
      await onAdmitting();
    }
    if (ready) return;
    if (!told && failing.includes('redis')) {
      told = true;
      const { host } = new URL(config.redis.url);
      voice.warn(`Not ready: no Redis answers at ${host} (redis.url). Trying on.`, { redis: host });
    }
    await pause(READY_POLL_MS, undefined, { signal });
  }
}
