import { randomUUID } from 'node:crypto';
import { bulkJobRecord, bulkRowRecord, type BulkJob, type PendingRow, type RowOutcome } from './bulk-job.js';
import { fromRow, Op, type Database, type NewRowOf, type Transaction } from '../../database/index.js';
import { addSeconds, latestEnd, type Clock } from '../../core/index.js';

/** Renewed with every row and twice a minute; what a dead process held is taken over after it. */
const CLAIM_S = 60;
const PENDING = ['queued', 'running'] as const;

/** Another process works on the job: this one has been taken for dead. */
export class TakenOverError extends Error {
  override readonly name = 'OvertakenError';
}

/** A job that this process works on. */
export interface ClaimedJob extends BulkJob {
  readonly claim: string;
  readonly authEpoch: number;
  readonly isWalked: boolean;
  readonly lastId: number;
  readonly cursor: string | null;
}

/** The rows of jobs. Whatever a worker writes depends on its claim, so that one that was overtaken changes nothing. */
export class BulkStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The job that has waited longest, for this process alone; null when there is none. */
  async claimNext(): Promise<ClaimedJob | null> {
    const now = this.clock.now();
    const waiting = {
      state: PENDING,
      claimedUntil: { [Op.or]: [null, { [Op.lte]: now }, { [Op.gt]: latestEnd(now, CLAIM_S) }] },
    };
    const next = { only: ['id'], order: 'j.updated_at, j.id', limit: 10 } as const;
    for (const { id } of await bulkJobRecord.findAll(this.database, waiting, next)) {
      const claim = randomUUID();
      const held = { claim, claimedUntil: addSeconds(now, CLAIM_S), state: 'running', updatedAt: now } as const;
      if ((await bulkJobRecord.update(this.database, { id, ...waiting }, held)) === 1) return this.read(id, claim);
    }
    return null;
  }

  /** Goes on holding it. */
  async renew({ id, claim }: ClaimedJob): Promise<void> {
    const claimedUntil = addSeconds(this.clock.now(), CLAIM_S);
    await bulkJobRecord.update(this.database, { id, claim }, { claimedUntil });
  }

  /** Lets another process, or a later turn of this one, go on with it. */
  async release({ id, claim }: ClaimedJob): Promise<void> {
    const free = { claim: null, claimedUntil: null, updatedAt: this.clock.now() };
    await bulkJobRecord.update(this.database, { id, claim }, free);
  }

  /** Rows without an outcome, oldest first: those that a dead process left first of all. */
  findPending({ id }: ClaimedJob, limit: number): Promise<PendingRow[]> {
    const only = ['id', 'recordKey', 'params', 'payload', 'startedAt'] as const;
    return bulkRowRecord.findAll(this.database, { jobId: id, state: PENDING }, { only, order: 'w.id', limit });
  }

  /**
   * Keeps the outcome of one row and begins the next, in one transaction.
   * @returns whether the next one may be done: false when the job is to stop
   * @throws OvertakenError
   */
  advance(job: ClaimedJob, finished: FinishedRow | null, next: PendingRow | null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const { isStopping } = await this.hold(job, transaction);
      if (finished) await this.finish(job, finished, transaction);
      if (!next || isStopping) return false;
      const begun = { state: 'running', claim: job.claim, startedAt: next.startedAt ?? this.clock.now() } as const;
      await bulkRowRecord.update(this.database, { id: next.id, state: PENDING }, begun, transaction);
      return true;
    });
  }

  /** Adds rows for the records of one page, and where the next begins. @throws OvertakenError */
  async addPage(job: ClaimedJob, rows: readonly NewRow[], cursor: string | null): Promise<ClaimedJob> {
    const isWalked = cursor === null;
    await this.database.transaction(async (transaction) => {
      const { skipped } = await this.hold(job, transaction);
      const left = rows.filter(({ state }) => state === 'skipped').length;
      const at = { cursor, isWalked, skipped: skipped + left };
      await bulkJobRecord.update(this.database, { id: job.id }, at, transaction);
      const own = rows.map((row) => ({ ...row, jobId: job.id }));
      await bulkRowRecord.insertAll(this.database, own, transaction);
    });
    return { ...job, cursor, isWalked };
  }

  /** The end of a job, in the caller's transaction; rows without an outcome get one. @throws OvertakenError */
  async end(job: ClaimedJob, end: Pick<BulkJob, 'state' | 'reason'>, transaction: Transaction): Promise<BulkJob> {
    const { id } = job;
    const { done, failed, total, ...before } = await this.hold(job, transaction);
    // A process died during the change, which is not repeated: whether it happened is unknown.
    const lost = await this.close(id, 'running', { state: 'failed', message: UNKNOWN }, transaction);
    await this.close(id, 'queued', { state: 'skipped', message: null }, transaction);
    const met = done + failed + lost;
    const skipped = end.state === 'done' ? before.skipped : Math.max(before.skipped, total - met);
    const now = this.clock.now();
    const counts = { failed: failed + lost, skipped, total: met + skipped };
    const free = { claim: null, claimedUntil: null, cursor: null, endedAt: now, updatedAt: now };
    await bulkJobRecord.update(this.database, { id }, { ...end, ...counts, ...free }, transaction);
    return bulkJobRecord.require(this.database, { id }, { transaction });
  }

  private async close(
    jobId: number,
    state: 'queued' | 'running',
    outcome: Pick<NewRowOf<typeof bulkRowRecord>, 'state' | 'message'>,
    transaction: Transaction,
  ): Promise<number> {
    return bulkRowRecord.update(this.database, { jobId, state }, { ...outcome, payload: null }, transaction);
  }

  private async finish(job: ClaimedJob, { row, outcome }: FinishedRow, transaction: Transaction): Promise<void> {
    const { id, claim } = job;
    const mine = { id: row.id, state: 'running', claim } as const;
    const kept = await bulkRowRecord.update(this.database, mine, { ...outcome, payload: null }, transaction);
    if (kept !== 1) return;
    const count = outcome.state;
    await bulkJobRecord.update(this.database, { id, claim }, { [count]: fromRow(count, 1) }, transaction);
  }

  private async hold({ id, claim }: ClaimedJob, transaction: Transaction) {
    const now = this.clock.now();
    const held = { claimedUntil: addSeconds(now, CLAIM_S), updatedAt: now };
    const matched = await bulkJobRecord.update(this.database, { id, claim, state: 'running' }, held, transaction);
    if (matched !== 1) throw new TakenOverError(`the bulk job ${id} is worked on by somebody else`);
    return bulkJobRecord.require(this.database, { id }, { transaction });
  }

  private async read(id: number, claim: string): Promise<ClaimedJob> {
    const more = { with: ['authEpoch', 'isWalked', 'lastId', 'cursor'] } as const;
    return { ...(await bulkJobRecord.require(this.database, { id }, more)), claim };
  }
}

/** A record that a job has met. */
export type NewRow = Pick<PendingRow, 'recordKey' | 'params'> & {
  readonly state: 'queued' | 'skipped';
  readonly message?: string;
};

const UNKNOWN = 'The portal was interrupted in the middle of this record: look at the record itself.';

export interface FinishedRow {
  readonly row: PendingRow;
  readonly outcome: RowOutcome;
}

/** Asks for the end of a job that has none yet. @returns whether there was one */
export async function askToStop(database: Database, id: number): Promise<boolean> {
  return (
    (await bulkJobRecord.update(database, { id, endedAt: null, state: { [Op.ne]: 'draft' } }, { isStopping: true })) > 0
  );
}
