import { randomUUID } from 'node:crypto';
import { UniqueViolationError, type Database } from '../database/index.js';
import { addSeconds, latestEnd, type Clock } from '../core/index.js';

/** Longer than any run; what a crashed replica held is free after it. */
const LEASE_S = 10 * 60;

/** One runner at a time and once per interval, on however many replicas (R38): a row of `portal_job_leases` for each job. */
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
    const { affectedRows } = await this.database.execute(
      'UPDATE portal_job_leases SET token = ?, held_until = ? WHERE name = ? ' +
        'AND (held_until IS NULL OR held_until <= ? OR held_until > ?) AND (done_at IS NULL OR done_at <= ? OR done_at > ?)',
      [
        ...[token, addSeconds(now, LEASE_S), name, now, latestEnd(now, LEASE_S)],
        ...[addSeconds(now, -every), latestEnd(now, 0)],
      ],
    );
    return affectedRows === 1 ? token : null;
  }

  async complete(name: string, token: string): Promise<void> {
    await this.database.execute(
      'UPDATE portal_job_leases SET token = NULL, held_until = NULL, done_at = ? WHERE name = ? AND token = ?',
      [this.clock.now(), name, token],
    );
  }

  private async declare(name: string): Promise<void> {
    const [row] = await this.database.select('SELECT name FROM portal_job_leases WHERE name = ?', [name]);
    if (row) return;
    try {
      await this.database.execute('INSERT INTO portal_job_leases (name) VALUES (?)', [name]);
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
    }
  }
}
