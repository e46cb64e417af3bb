import { PortalError, ValidationError, type Encrypter } from '../../core/index.js';
import { normaliseEmail } from '../accounts/index.js';
import type { AdminActor } from '../auth/index.js';
import { rowPayloadContext, type ImportPlan, type PendingRow } from './bulk-job.js';
import type { ClaimedJob } from './bulk-store.js';
import type { JobKind } from './bulk-worker.js';
import { jobRequest } from './job-actor.js';
import type { ConsoleOperations, ShownRecord } from './operation-port.js';
import {
  importFieldsOf,
  findTarget,
  importOperationsOf,
  recordOf,
  type ImportedRecord,
  type ImportTarget,
} from './import-target.js';

/** Statuses that say that there is one of that name. */
const TAKEN = new Set([409, 422]);

/** A record for each line of a file. */
export class ImportKind implements JobKind {
  constructor(
    private readonly operations: ConsoleOperations,
    private readonly encrypter: Encrypter,
  ) {}

  operationsOf({ resource }: ClaimedJob): readonly string[] | null {
    const target = findTarget(resource);
    return target && importOperationsOf(target);
  }

  addRows(): Promise<ClaimedJob> {
    throw new Error('the rows of an import come with its file');
  }

  async perform(job: ClaimedJob, row: PendingRow, actor: AdminActor): Promise<number> {
    const { port } = this.operations;
    const target = findTarget(job.resource);
    if (!target || row.payload === null) throw new Error(`line ${row.recordKey} of an import has nothing to import`);
    const plan = job.body as ImportPlan;
    const cells = JSON.parse(this.encrypter.decrypt(row.payload, rowPayloadContext(job.id, row.recordKey))) as string[];
    const record = recordOf(target, importFieldsOf(target, port), plan, cells);
    const call = { actor, request: jobRequest(job), locale: job.locale };
    const owner = record.owner === null ? null : await this.findOwner(target, record.owner, call);
    const params = target.owner && owner !== null ? { [target.owner.param]: owner } : {};
    try {
      return (await port.run(target.operation, { ...call, params, body: record.body })).status;
    } catch (error) {
      const mayBeOurs = row.startedAt !== null && error instanceof PortalError && TAKEN.has(error.status);
      if (mayBeOurs && (await this.isMade(target, record, owner, row.startedAt, call))) return 201;
      throw error;
    }
  }

  private async findOwner(target: ImportTarget, email: string, call: Call): Promise<number> {
    const field = target.owner?.field ?? 'developer';
    const address = normaliseEmail(email);
    const [found] = address === null ? [] : await this.list('listUsers', { email: address }, call);
    if (typeof found?.id === 'number') return found.id;
    throw new ValidationError({ [field]: ['There is no developer with this e-mail address.'] });
  }

  /** Whether a process that died in the middle of this row had made the record before. */
  private async isMade(
    target: ImportTarget,
    { body }: ImportedRecord,
    owner: number | null,
    since: Date,
    call: Call,
  ): Promise<boolean> {
    const value = body[target.key];
    if (typeof value !== 'string') return false;
    const valid = this.operations.port.validate(target.operation, body) as ShownRecord;
    const filters = { [target.key]: valid[target.key], ...(owner !== null && { user: owner }) };
    const found = await this.list(target.list, filters, call);
    return found.some(({ created_at: at }) => new Date(at as string | Date) >= since);
  }

  private async list(operation: string, filters: ShownRecord, call: Call): Promise<ShownRecord[]> {
    const query = { filters: JSON.stringify(filters), per_page: '2' };
    const { page } = await this.operations.port.run(operation, { ...call, query });
    return (page?.items ?? []) as ShownRecord[];
  }
}

interface Call {
  readonly actor: AdminActor;
  readonly request: ReturnType<typeof jobRequest>;
  readonly locale: string;
}
