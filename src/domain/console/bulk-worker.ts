import { runAs, PortalError, type Clock, type EventBus, type Logger } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import { toActingPerson, type AdminActor } from '../auth/index.js';
import { BulkJobEndedEvent } from './events.js';
import type { ConsoleOperations } from './operation-port.js';
import type { BulkReason, PendingRow, RowOutcome } from './bulk-job.js';
import { TakenOverError, type BulkStore, type ClaimedJob, type FinishedRow } from './bulk-store.js';
import { jobRequest, readJobActor } from './job-actor.js';

const LONGEST_MESSAGE = 500;
/** Answers of a service that every record needs: the next record would fare no better. */
const UNAVAILABLE = new Set([502, 503, 504]);
const BATCH = 50;
const RENEW_MS = 30_000;
/** After so long the next job has its turn. */
const TURN_MS = 20_000;
/** So many rows in a row that a service did not answer. */
const MOST_UNAVAILABLE = 20;

/** How the rows of one kind of job come about and what is done for each. */
export interface JobKind {
  /** Operations without which the job makes no sense; null when the portal does not know it any more. */
  operationsOf(job: ClaimedJob): readonly string[] | null;
  /** Adds the rows of the next page. */
  addRows(job: ClaimedJob, actor: AdminActor): Promise<ClaimedJob>;
  /** @returns the status of the answer. @throws PortalError */
  perform(job: ClaimedJob, row: PendingRow, actor: AdminActor): Promise<number>;
}

export interface BulkWorkerParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly operations: ConsoleOperations;
  readonly store: BulkStore;
  readonly kinds: Readonly<Record<'bulk' | 'import', JobKind>>;
}

type Turn = 'over' | BulkReason | 'done';

/**
 * Works on bulk jobs, one record after the other. Any number of replicas may do it: each job is claimed by one, which another
 * takes over when it dies. The row that it died with is tried again; no other is ever done twice.
 */
export class BulkWorker {
  constructor(private readonly parts: BulkWorkerParts) {}

  /** Works on all jobs in turn until nothing waits. @param stopping ends it after the present record */
  async run(stopping?: AbortSignal): Promise<void> {
    if (!this.parts.operations.isConnected) return;
    while (!stopping?.aborted) {
      const job = await this.parts.store.claimNext();
      if (!job) return;
      await this.hold(job, stopping);
    }
  }

  private async hold(job: ClaimedJob, stopping: AbortSignal | undefined): Promise<void> {
    const { store, logger } = this.parts;
    // A single record may take long.
    const renewal = setInterval(() => void store.renew(job).catch(() => undefined), RENEW_MS);
    renewal.unref();
    try {
      const turn = await this.work(job, stopping);
      if (turn === 'over') await store.release(job);
      else await this.end(job, turn);
    } catch (error) {
      if (error instanceof TakenOverError) return logger.warn({ err: error }, 'a bulk job was taken over');
      if (error instanceof PortalError && isUnavailable(error)) {
        // Whoever comes next goes on with it.
        await store.release(job).catch(() => undefined);
        throw error;
      }
      logger.error({ err: error, job: job.uuid }, 'a bulk job cannot go on');
      await this.end(job, error instanceof PortalError && error.status === 403 ? 'permission' : 'fault');
    } finally {
      clearInterval(renewal);
    }
  }

  private async work(claimed: ClaimedJob, stopping: AbortSignal | undefined): Promise<Turn> {
    const { store, clock, operations } = this.parts;
    const kind = this.parts.kinds[claimed.kind];
    const names = kind.operationsOf(claimed);
    if (!names) return 'unknown_action';
    const until = clock.now().getTime() + TURN_MS;
    let job = claimed;
    let finished: FinishedRow | null = null;
    let unavailable = 0;
    for (;;) {
      const rows = await store.findPending(job, BATCH);
      for (const row of rows) {
        const actor = await readJobActor(this.parts.database, operations.port, job, names);
        const reason = typeof actor === 'string' ? actor : unavailable >= MOST_UNAVAILABLE ? 'unavailable' : null;
        const isOver = stopping?.aborted === true || clock.now().getTime() > until;
        const goesOn = await store.advance(job, finished, reason || isOver ? null : row);
        finished = null;
        if (reason) return reason;
        if (!goesOn) return isOver ? 'over' : 'asked';
        const outcome = await this.perform(kind, job, row, actor as AdminActor);
        unavailable = isUnavailable(outcome) ? unavailable + 1 : 0;
        finished = { row, outcome };
      }
      if (finished) {
        await store.advance(job, finished, null);
        finished = null;
      } else if (rows.length === 0) {
        if (job.isWalked) return 'done';
        const actor = await readJobActor(this.parts.database, operations.port, job, names);
        if (typeof actor === 'string') return actor;
        if (job.isStopping) return 'asked';
        job = await kind.addRows(job, actor);
      }
    }
  }

  private async perform(kind: JobKind, job: ClaimedJob, row: PendingRow, actor: AdminActor): Promise<RowOutcome> {
    try {
      return { state: 'done', status: await kind.perform(job, row, actor), message: null };
    } catch (error) {
      return failureOf(error, this.parts.logger);
    }
  }

  private async end(job: ClaimedJob, turn: Exclude<Turn, 'over'>): Promise<void> {
    const { database, store, events, clock } = this.parts;
    const isFault = turn === 'fault' || turn === 'unknown_action';
    const state = turn === 'done' ? 'done' : isFault ? 'failed' : 'stopped';
    const reason = turn === 'done' ? null : turn;
    const actor = await readJobActor(database, { may: () => Promise.resolve(true) }, job, []);
    const tell = () =>
      database.transaction(async (transaction) => {
        const ended = await store.end(job, { state, reason }, transaction);
        await events.emit(new BulkJobEndedEvent({ job: ended, occurredAt: clock.now() }), transaction);
      });
    // A job whose admin is gone is ended by the system.
    if (typeof actor === 'string') await tell();
    else await runAs({ person: toActingPerson(actor), request: jobRequest(job) }, tell);
  }
}

/** What a failed row says: what the API would have answered, and nothing of the inside. */
function failureOf(error: unknown, logger: Logger): RowOutcome {
  if (!(error instanceof PortalError) || error.status === 500) {
    logger.error({ err: error }, 'a row of a bulk job failed');
    return { state: 'failed', status: 500, message: PortalError.publicMessage };
  }
  const { message, errors, status } = error;
  const sentences = Object.entries(errors).flatMap(([field, said]) => said.map((text) => `${field}: ${text}`));
  // Those of status 500 and above never show theirs.
  const shown =
    status >= 500 ? (error.constructor as typeof PortalError).publicMessage : [message, ...sentences].join(' ');
  return { state: 'failed', status, message: shown.slice(0, LONGEST_MESSAGE) };
}

function isUnavailable({ status }: Pick<RowOutcome, 'status'>): boolean {
  return status !== null && UNAVAILABLE.has(status);
}
