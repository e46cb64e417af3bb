import { randomUUID } from 'node:crypto';
import { csvLine, ForbiddenError, NotFoundError, type Clock, type EventBus } from '../../core/index.js';
import { Op, UniqueViolationError, type Database, type NewRowOf, type Transaction } from '../../database/index.js';
import { adminRecord } from '../accounts/index.js';
import type { RbacService } from '../rbac/index.js';
import { BulkJobStartedEvent } from './events.js';
import type { BulkAction, BulkCaller, ConsoleOperations, ShownRecord } from './operation-port.js';
import { bulkJobRecord, bulkRowRecord, type BulkJob, type BulkRow } from './bulk-job.js';
import { idOf } from './bulk-kind.js';
import { askToStop } from './bulk-store.js';

const SHOWN_RECORDS = 20;
const LISTED_JOBS = 100;
const RESULT_BATCH = 500;
/** What a page of a list says beside its filters: no part of a job. */
const OF_THE_PAGE = new Set(['page', 'per_page', 'order_by', 'direction', 'cursor', 'with', 'locale']);

export interface BulkChoice {
  /** As the console declares them. */
  readonly resource: string;
  readonly action: string;
  /** Of the list, as in its address: `filters`, `q`. */
  readonly query: Readonly<Record<string, string>>;
  /** The same for every record, a reason for example. */
  readonly body?: unknown;
}

export interface BulkPreview {
  /** Records that the choice has now. */
  readonly total: number;
  /** The first ones, as the API shows them, in the order of the list. */
  readonly records: readonly ShownRecord[];
}

export interface BulkJobsParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly operations: ConsoleOperations;
  readonly rbac: Pick<RbacService, 'grantsOf'>;
}

/** Work on many records at once: it carries the filter, never the ids, and runs in the background. */
export class BulkJobs {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: BulkJobsParts) {}

  /** Registers what has jobs worked on. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }

  /** What a job would be about. @throws NotFoundError, ForbiddenError, ValidationError for a wrong query or body */
  async preview({ query, ...choice }: BulkChoice, caller: BulkCaller): Promise<BulkPreview> {
    const { list, query: constant } = await this.require(choice, caller);
    const shown = { ...constant, ...query, page: '1', per_page: String(SHOWN_RECORDS), cursor: undefined };
    const { page } = await this.parts.operations.port.run(list, { ...caller, query: shown });
    return { total: page?.total ?? 0, records: (page?.items ?? []) as ShownRecord[] };
  }

  /**
   * Starts a job for all records that the query has now; records that come later are not part of it.
   * @param token of the caller, up to 64 characters: a start that is repeated with it answers with the same job
   * @throws as {@link preview}
   */
  async start({ query, body, ...choice }: BulkChoice, token: string, caller: BulkCaller): Promise<BulkJob> {
    const { actor, locale } = caller;
    const known = await this.findByToken(actor.id, token);
    if (known) return known;
    const { list, operation, query: constant } = await this.require({ ...choice, body }, caller);
    const filters = Object.fromEntries(
      Object.entries(query).filter(([name, value]) => !OF_THE_PAGE.has(name) && value !== ''),
    );
    const newest = { ...constant, ...filters, order_by: 'id', direction: 'desc', per_page: '1' };
    const { page } = await this.parts.operations.port.run(list, { ...caller, query: newest });
    const last = page?.items[0] as ShownRecord | undefined;
    return this.create(
      {
        ...{ kind: 'bulk', ...choice, operation, query: filters, body: body ?? null, locale, state: 'queued', token },
        ...{ total: page?.total ?? 0, lastId: last ? idOf(last) : 0, isWalked: last === undefined },
      },
      actor.id,
    );
  }

  /** A job of the admin, or any job for an admin who passes every check. @throws NotFoundError */
  async find(uuid: string, adminId: number): Promise<BulkJob> {
    const job = await bulkJobRecord.require(this.parts.database, { uuid });
    if (job.adminId === adminId || (await this.parts.rbac.grantsOf(adminId)).bypass) return job;
    throw new NotFoundError();
  }

  /** The same jobs, newest first. */
  async list(adminId: number): Promise<BulkJob[]> {
    const { bypass } = await this.parts.rbac.grantsOf(adminId);
    const where = { state: { [Op.ne]: 'draft' }, ...(!bypass && { adminId }) } as const;
    return bulkJobRecord.findAll(this.parts.database, where, { order: 'j.id DESC', limit: LISTED_JOBS });
  }

  /** Ends a job after the record that is being worked on; no harm when it has ended. @throws NotFoundError */
  async stop(uuid: string, adminId: number): Promise<BulkJob> {
    const { id } = await this.find(uuid, adminId);
    if (await askToStop(this.parts.database, id)) this.wake();
    return this.find(uuid, adminId);
  }

  /** What became of the records, in the order in which they were met, many at a time. @param state all by default */
  async *results({ id }: Pick<BulkJob, 'id'>, state?: BulkRow['state']): AsyncGenerator<BulkRow[]> {
    for (let last = 0; ;) {
      const where = { jobId: id, id: { [Op.gt]: last }, ...(state !== undefined && { state }) };
      const rows = await bulkRowRecord.findAll(this.parts.database, where, { order: 'w.id', limit: RESULT_BATCH });
      if (rows.length > 0) yield rows;
      if (rows.length < RESULT_BATCH) return;
      last = rows.at(-1)?.id ?? 0;
    }
  }

  /** The same as CSV, with a first line that names the columns. */
  async *resultLines(job: Pick<BulkJob, 'id' | 'kind'>, state?: BulkRow['state']): AsyncGenerator<string> {
    yield csvLine([job.kind === 'import' ? 'line' : 'id', 'state', 'status', 'message']);
    for await (const rows of this.results(job, state)) {
      yield rows.map((row) => csvLine([row.recordKey, row.state, row.status, row.message])).join('');
    }
  }

  /** @internal for imports */
  findByToken(adminId: number, token: string): Promise<BulkJob | null> {
    return bulkJobRecord.find(this.parts.database, { adminId, token });
  }

  /** Keeps a new job, and has it worked on unless it is a draft. @internal for imports */
  async create(job: NewJob, adminId: number, more?: NewRows): Promise<BulkJob> {
    const { database } = this.parts;
    const row = await adminRecord.require(database, { id: adminId }, { only: ['id'], with: ['authEpoch'] });
    const now = this.parts.clock.now();
    const zero = { isStopping: false, done: 0, failed: 0, skipped: 0, createdAt: now, updatedAt: now };
    const values = { ...zero, ...job, uuid: randomUUID(), adminId, authEpoch: row.authEpoch };
    try {
      return await database.transaction(async (transaction) => {
        const id = await bulkJobRecord.insert(database, values, transaction);
        await more?.(id, transaction);
        if (job.state !== 'draft') return this.announce(id, transaction);
        return bulkJobRecord.require(database, { id }, { transaction });
      });
    } catch (error) {
      // Somebody clicked twice.
      const twin = error instanceof UniqueViolationError ? await this.findByToken(adminId, job.token) : null;
      if (twin) return twin;
      throw error;
    }
  }

  /** Tells that a job has started, within its transaction. @internal for imports */
  async announce(id: number, transaction: Transaction): Promise<BulkJob> {
    const { database, events, clock } = this.parts;
    const startedAt = clock.now();
    await bulkJobRecord.update(database, { id }, { startedAt }, transaction);
    const job = await bulkJobRecord.require(database, { id }, { transaction });
    await events.emit(new BulkJobStartedEvent({ job, occurredAt: startedAt }), transaction);
    transaction.afterCommit(() => this.wake());
    return job;
  }

  private async require(
    { resource, action, body }: Omit<BulkChoice, 'query'>,
    { actor }: BulkCaller,
  ): Promise<BulkAction> {
    const { operations } = this.parts;
    const found = operations.findAction(resource, action);
    if (!found) throw new NotFoundError();
    for (const operation of [found.list, found.operation]) {
      if (await operations.port.may(operation, actor)) continue;
      throw new ForbiddenError({ detail: `admin ${actor.id} may not ${operation}` });
    }
    if (body !== undefined && body !== null) operations.port.validate(found.operation, body);
    return found;
  }
}

/** Adds the rows of a new job. */
type NewRows = (id: number, transaction: Transaction) => Promise<void>;

type NewJob = Omit<
  NewRowOf<typeof bulkJobRecord>,
  | ('uuid' | 'adminId' | 'authEpoch' | 'isStopping' | 'done' | 'failed' | 'skipped' | 'createdAt' | 'updatedAt')
  | ('claim' | 'claimedUntil' | 'startedAt' | 'endedAt' | 'reason' | 'cursor')
>;
