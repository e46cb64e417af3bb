import type { AdminActor } from '../auth/index.js';
import type { ConsoleOperations, ShownRecord } from './operation-port.js';
import type { PendingRow } from './bulk-job.js';
import type { BulkStore, ClaimedJob } from './bulk-store.js';
import type { JobKind } from './bulk-worker.js';
import { jobRequest } from './job-actor.js';

/** Records of one page; the API may allow fewer. */
const PAGE = 100;

const NOT_OFFERED = 'The record is not in a state for this.';

/** An operation for each record of a list. The list is walked along its ids, and its pages become rows as they are reached. */
export class BulkKind implements JobKind {
  constructor(
    private readonly operations: ConsoleOperations,
    private readonly store: BulkStore,
  ) {}

  operationsOf({ resource, action }: ClaimedJob): readonly string[] | null {
    const found = this.operations.findAction(resource, action);
    return found && [found.list, found.operation];
  }

  async addRows(job: ClaimedJob, actor: AdminActor): Promise<ClaimedJob> {
    const { list, rowParams, offered = () => true, query: constant } = this.action(job);
    const at = job.cursor === null ? {} : { cursor: job.cursor };
    const query = { ...constant, ...job.query, order_by: 'id', direction: 'asc', per_page: String(PAGE), ...at };
    const { page } = await this.operations.port.run(list, { ...call(job, actor), query });
    if (!page) throw new Error(`${list} is not a list`);
    const records = (page.items as ShownRecord[]).filter((record) => idOf(record) <= job.lastId);
    const rows = records.map((record) => ({
      recordKey: String(idOf(record)),
      params: rowParams?.(record) ?? { id: idOf(record) },
      ...(offered(record) ? { state: 'queued' as const } : { state: 'skipped' as const, message: NOT_OFFERED }),
    }));
    return this.store.addPage(job, rows, records.length === page.items.length ? page.nextCursor : null);
  }

  async perform(job: ClaimedJob, { params }: PendingRow, actor: AdminActor): Promise<number> {
    const { operation } = this.action(job);
    const body = job.body === null ? {} : { body: job.body };
    return (await this.operations.port.run(operation, { ...call(job, actor), params: params ?? {}, ...body })).status;
  }

  private action({ resource, action }: ClaimedJob) {
    const found = this.operations.findAction(resource, action);
    if (!found) throw new Error(`there is no action ${action} of ${resource}`);
    return found;
  }
}

function call(job: ClaimedJob, actor: AdminActor) {
  return { actor, request: jobRequest(job), locale: job.locale };
}

/** @throws Error for a list whose records have none */
export function idOf({ id }: ShownRecord): number {
  if (typeof id !== 'number') throw new Error('bulk jobs need lists whose records have a number as id');
  return id;
}
