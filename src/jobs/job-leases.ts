import { randomUUID } from 'node:crypto';
import { defineRecord, fieldOf, Op, UniqueViolationError, type Database } from '../database/index.js';
import { addSeconds, latestEnd, type Clock } from '../core/index.js';

/** Longer than any run; after this time the lease of a crashed replica is free. */
const LEASE_S = 10 * 60;

const leaseRecord = defineRecord({
  name: 'JobLease',
  table: 'portal_job_leases',
  alias: 'l',
  fields: {
    name: fieldOf.text(100).key(),
    token: fieldOf.text(36).nullable(),
    heldUntil: fieldOf.time().nullable(),
    startedAt: fieldOf.time().nullable(),
    doneAt: fieldOf.time().nullable(),
    failedAt: fieldOf.time().nullable(),
    /** Class and code of the last failure. */
    lastError: fieldOf.text(255).nullable(),
  },
});

/** How a job went. */
export interface JobOutcome {
  readonly isRunning: boolean;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly outcome: 'succeeded' | 'failed' | null;
  /** Class and code; null unless the last run failed. */
  readonly error: string | null;
}

/**
 * At most one runner at a time and one run per interval across all replicas (R38), by a row of `portal_job_leases` for
 * each job.
 */
export class JobLeases {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @returns the token of the lease; null when another replica runs the job, or ran it less than `every` seconds ago */
  async take(name: string, every: number): Promise<string | null> {
    const token = randomUUID();
    const now = this.clock.now();
    await this.declare(name);
    const heldUntil = { [Op.or]: [null, { [Op.lte]: now }, { [Op.gt]: latestEnd(now, LEASE_S) }] };
    const doneAt = { [Op.or]: [null, { [Op.lte]: addSeconds(now, -every) }, { [Op.gt]: latestEnd(now, 0) }] };
    const lease = { token, startedAt: now, heldUntil: addSeconds(now, LEASE_S) };
    return (await leaseRecord.update(this.database, { name, heldUntil, doneAt }, lease)) === 1 ? token : null;
  }

  async complete(name: string, token: string): Promise<void> {
    const free = { token: null, heldUntil: null, doneAt: this.clock.now() };
    await leaseRecord.update(this.database, { name, token }, free);
  }

  /** Keeps the lease, so that the job rests until that ends. */
  async fail(name: string, token: string, error: string): Promise<void> {
    const failure = { failedAt: this.clock.now(), lastError: error };
    await leaseRecord.update(this.database, { name, token }, failure);
  }

  /** How each exclusive job went, on whatever replica. */
  async read(): Promise<ReadonlyMap<string, JobOutcome>> {
    const now = this.clock.now();
    const rows = await leaseRecord.findAll(this.database, {});
    return new Map(
      rows.map(({ name, heldUntil, startedAt, doneAt, failedAt, lastError }) => {
        const hasFailed = failedAt !== null && (doneAt === null || failedAt > doneAt);
        const endedAt = hasFailed ? failedAt : doneAt;
        const hasGivenUp = failedAt !== null && startedAt !== null && failedAt >= startedAt;
        const isRunning = heldUntil !== null && heldUntil > now && !hasGivenUp;
        const outcome = endedAt === null ? null : hasFailed ? 'failed' : 'succeeded';
        return [name, { isRunning, startedAt, endedAt, outcome, error: hasFailed ? lastError : null }];
      }),
    );
  }

  private async declare(name: string): Promise<void> {
    if (await leaseRecord.has(this.database, { name })) return;
    try {
      await leaseRecord.insert(this.database, { name });
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
    }
  }
}
