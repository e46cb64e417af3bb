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
    doneAt: fieldOf.time().nullable(),
  },
});

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
    const lease = { token, heldUntil: addSeconds(now, LEASE_S) };
    return (await leaseRecord.update(this.database, { name, heldUntil, doneAt }, lease)) === 1 ? token : null;
  }

  async complete(name: string, token: string): Promise<void> {
    const free = { token: null, heldUntil: null, doneAt: this.clock.now() };
    await leaseRecord.update(this.database, { name, token }, free);
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
