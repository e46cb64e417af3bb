import type { RedisConnection } from '../cache/index.js';
import type { Database, Migrator } from '../database/index.js';
import type { ReadinessCheck } from '../http/index.js';
import { systemClock, type CorrectedClock, type Logger, type ProcessMetrics } from '../core/index.js';
import type { DomainBase } from './base.js';

/** Tolerated clock skew between replicas: tokens tolerate five seconds, less the error of this measurement. */
const TOLERABLE_MS = 2_000;
const WORTH_A_WARNING_MS = 10_000;
const WARN_EVERY_MS = 600_000;
/** Slower answers are too imprecise. */
const LONGEST_ANSWER_MS = 1_000;

/** Checks for what a replica cannot work without (R02). They also read the time shared by all replicas (R30). */
export function readinessChecks(base: DomainBase, migrator: Migrator): ReadinessCheck[] {
  const { database, redis, machineClock, processMetrics, logger } = base;
  const isShared = redis !== null || database.dialect === 'mysql';
  const watch = isShared && machineClock ? new ClockWatch(processMetrics, machineClock, logger) : null;
  const checks = [databaseAnswers(database, redis === null ? watch : null), migrationsAreDone(migrator)];
  return redis === null ? checks : [...checks, redisAnswers(redis, watch)];
}

/** Name of the check that jobs ignore. */
export const REDIS = 'redis';

function databaseAnswers(database: Database, watch: ClockWatch | null): ReadinessCheck {
  const check = async () => {
    if (watch === null) await database.ping();
    else await watch.compare(() => database.serverTime());
  };
  return { name: 'database', check };
}

function redisAnswers(redis: RedisConnection, watch: ClockWatch | null): ReadinessCheck {
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

// Cached once true: only a new release brings more migrations.
function migrationsAreDone(migrator: Migrator): ReadinessCheck {
  let done = false;
  return {
    name: 'migrations',
    essential: true,
    check: async () => {
      done ||= (await migrator.findPending()).length === 0;
      if (!done) throw new Error('migrations are pending');
    },
  };
}

/** Corrects the portal's clock to the one that all replicas share, and reports this machine's skew (R30). @internal */
export class ClockWatch {
  private aheadMs = 0;
  private warnedAt = -Infinity;

  constructor(
    processMetrics: ProcessMetrics,
    private readonly clock: CorrectedClock,
    private readonly logger: Logger,
  ) {
    processMetrics.watch('clock_skew_seconds', () => this.aheadMs / 1_000);
  }

  /** @param ask resolves with the shared time in milliseconds since 1970 */
  async compare(ask: () => Promise<number>): Promise<void> {
    const began = performance.now();
    const shared = await ask();
    const took = performance.now() - began;
    if (took > LONGEST_ANSWER_MS || !Number.isFinite(shared)) return;
    // The time was read somewhere between request and answer.
    this.aheadMs = systemClock.now().getTime() - took / 2 - shared;
    const isTolerable = Math.abs(this.aheadMs) < TOLERABLE_MS;
    this.clock.correct(isTolerable ? 0 : this.aheadMs);
    if (Math.abs(this.aheadMs) >= WORTH_A_WARNING_MS) this.warn();
  }

  private warn(): void {
    if (performance.now() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = performance.now();
    const seconds = Math.round(this.aheadMs / 1_000);
    this.logger.warn(
      { clock_skew_seconds: seconds },
      'the clock of this machine is wrong and made up for: synchronize it (NTP)',
    );
  }
}
