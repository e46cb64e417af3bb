import {
  csvLine,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
  type Encrypter,
} from '../../core/index.js';
import { Op, type Database } from '../../database/index.js';
import type { AdminActor } from '../auth/index.js';
import { bulkJobRecord, bulkRowRecord, rowPayloadContext, type BulkJob, type ImportPlan } from './bulk-job.js';
import type { BulkJobs } from './bulk-jobs.js';
import type { BulkCaller, ConsoleOperations } from './operation-port.js';
import { MOST_BYTES, MOST_RECORDS, readCsv, type CsvFile } from './csv-file.js';
import {
  checkMapping,
  importFieldsOf,
  findTarget,
  guessMapping,
  IMPORTED_RESOURCES,
  importOperationsOf,
  recordOf,
  type ImportField,
  type ImportTarget,
} from './import-target.js';

const BATCH = 500;
const SHOWN_ERRORS = 100;
const SAMPLE_LINES = 5;

/** A file that waits for its columns to be confirmed. */
export interface ImportDraft {
  readonly job: BulkJob;
  readonly columns: readonly string[];
  readonly fields: readonly ImportField[];
  /** Field → column; a guess until somebody says otherwise. */
  readonly mapping: ImportPlan['mapping'];
  /** Cells of the first lines. */
  readonly sample: readonly (readonly string[])[];
}

export interface LineError {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

/** What an import would do, without doing it. */
export interface DryRun {
  readonly total: number;
  /** Lines without a fault. */
  readonly valid: number;
  /** The first hundred. */
  readonly errors: readonly LineError[];
}

export interface BulkImportsParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly operations: ConsoleOperations;
  readonly jobs: BulkJobs;
}

/** Records from CSV files: uploaded, tried, and made in the background. What a file says is encrypted until it is used. */
export class BulkImports {
  /** What can be imported, as the console names it. */
  readonly resources = IMPORTED_RESOURCES;
  /** Of one file. */
  readonly limits = { bytes: MOST_BYTES, records: MOST_RECORDS };

  constructor(private readonly parts: BulkImportsParts) {}

  /**
   * Takes a file: at most 5 MB and 10 000 records, in UTF-8. It is kept for a day unless it is started.
   * @param token of the caller; the same again answers with the same draft
   * @throws NotFoundError for a resource that cannot be imported, ForbiddenError, ValidationError on `file`
   */
  async upload(resource: string, bytes: Buffer, token: string, { actor, locale }: BulkCaller): Promise<ImportDraft> {
    const { jobs } = this.parts;
    const target = await this.require(resource, actor);
    const known = await jobs.findByToken(actor.id, token);
    if (known) return this.draft(known.uuid, actor);
    const file = await readCsv(bytes);
    const mapping = guessMapping(file.columns, importFieldsOf(target, this.parts.operations.port));
    const plan: ImportPlan = { columns: file.columns, mapping };
    const { uuid } = await jobs.create(
      {
        ...{ kind: 'import', resource, action: 'import', operation: target.operation, query: {}, body: plan },
        ...{ locale, state: 'draft', token, total: file.records.length, lastId: 0, isWalked: true },
      },
      actor.id,
      (id, transaction) => this.keep(id, file, transaction),
    );
    return this.draft(uuid, actor);
  }

  /** A file of this admin that was not started yet. @throws NotFoundError */
  async draft(uuid: string, actor: AdminActor): Promise<ImportDraft> {
    const job = await this.find(uuid, actor);
    const { columns, mapping } = job.body as ImportPlan;
    const rows = await bulkRowRecord.findAll(
      this.parts.database,
      { jobId: job.id },
      { only: ['recordKey', 'payload'], order: 'w.id', limit: SAMPLE_LINES },
    );
    const fields = importFieldsOf(await this.require(job.resource, actor), this.parts.operations.port);
    return { job, columns, mapping, fields, sample: rows.map((row) => this.cells(job.id, row)) };
  }

  /** Whether the operation would take each line. @throws NotFoundError, ValidationError for a wrong mapping */
  async dryRun(uuid: string, mapping: ImportPlan['mapping'], actor: AdminActor): Promise<DryRun> {
    const errors: LineError[] = [];
    let faulty = 0;
    const job = await this.find(uuid, actor);
    for await (const found of this.faults(job, mapping, actor)) {
      if (found.length > 0) faulty += 1;
      if (errors.length < SHOWN_ERRORS) errors.push(...found);
    }
    return { total: job.total, valid: job.total - faulty, errors: errors.slice(0, SHOWN_ERRORS) };
  }

  /** All that {@link dryRun} finds, as CSV. @throws as that, before the first line */
  async *errorLines(uuid: string, mapping: ImportPlan['mapping'], actor: AdminActor): AsyncGenerator<string> {
    const job = await this.find(uuid, actor);
    await this.check(job, mapping, actor);
    yield csvLine(['line', 'field', 'message']);
    for await (const found of this.faults(job, mapping, actor)) {
      if (found.length > 0) yield found.map(({ line, field, message }) => csvLine([line, field, message])).join('');
    }
  }

  /**
   * Has the records made. A second start changes nothing.
   * @throws NotFoundError, ForbiddenError, ValidationError for a wrong mapping
   */
  async start(uuid: string, mapping: ImportPlan['mapping'], { actor, locale }: BulkCaller): Promise<BulkJob> {
    const { database, jobs } = this.parts;
    const job = await jobs.find(uuid, actor.id);
    if (job.kind !== 'import' || job.adminId !== actor.id) throw new NotFoundError();
    if (job.state !== 'draft') return job;
    await this.check(job, mapping, actor);
    const { columns } = job.body as ImportPlan;
    return database.transaction(async (transaction) => {
      const begun = { state: 'queued', locale, body: { columns, mapping } } as const;
      const matched = await bulkJobRecord.update(database, { id: job.id, state: 'draft' }, begun, transaction);
      if (matched !== 1) return bulkJobRecord.require(database, { id: job.id }, { transaction });
      return jobs.announce(job.id, transaction);
    });
  }

  /** Forgets a file that was not started. @throws NotFoundError, ConflictError for one that was */
  async discard(uuid: string, actor: AdminActor): Promise<void> {
    const { id } = await this.find(uuid, actor);
    if ((await bulkJobRecord.remove(this.parts.database, { id, state: 'draft' })) === 0) throw new ConflictError();
  }

  private async find(uuid: string, { id: adminId }: AdminActor): Promise<BulkJob> {
    return bulkJobRecord.require(this.parts.database, { uuid, adminId, kind: 'import', state: 'draft' });
  }

  private async require(resource: string, actor: AdminActor): Promise<ImportTarget> {
    const target = findTarget(resource);
    if (!target) throw new NotFoundError();
    for (const operation of importOperationsOf(target)) {
      if (await this.parts.operations.port.may(operation, actor)) continue;
      throw new ForbiddenError({ detail: `admin ${actor.id} may not ${operation}` });
    }
    return target;
  }

  private async check(job: BulkJob, mapping: ImportPlan['mapping'], actor: AdminActor) {
    const target = await this.require(job.resource, actor);
    const fields = importFieldsOf(target, this.parts.operations.port);
    const { columns } = job.body as ImportPlan;
    checkMapping(mapping, columns, fields);
    return { target, fields, plan: { columns, mapping } };
  }

  /** The faults of each line, in the order of the file. */
  private async *faults(job: BulkJob, mapping: ImportPlan['mapping'], actor: AdminActor): AsyncGenerator<LineError[]> {
    const { target, fields, plan } = await this.check(job, mapping, actor);
    const met = new Map<string, number>();
    for await (const { line, cells } of this.lines(job.id)) {
      const { body, owner } = recordOf(target, fields, plan, cells);
      const errors = Object.entries(this.validate(target, body));
      if (owner === '') errors.push([target.owner?.field ?? '', ['is required.']]);
      const key = JSON.stringify([owner, body[target.key]]).toLowerCase();
      const earlier = met.get(key);
      if (earlier !== undefined) errors.push([target.key, [`Line ${earlier} has the same.`]]);
      else met.set(key, line);
      yield errors.flatMap(([field, said]) => said.map((message) => ({ line, field, message })));
    }
  }

  private validate(target: ImportTarget, body: unknown): Readonly<Record<string, readonly string[]>> {
    try {
      this.parts.operations.port.validate(target.operation, body);
      return {};
    } catch (error) {
      if (error instanceof ValidationError) return error.errors;
      throw error;
    }
  }

  private async *lines(jobId: number): AsyncGenerator<{ readonly line: number; readonly cells: readonly string[] }> {
    for (let last = 0; ;) {
      const rows = await bulkRowRecord.findAll(
        this.parts.database,
        { jobId, id: { [Op.gt]: last } },
        { only: ['id', 'recordKey', 'payload'], order: 'w.id', limit: BATCH },
      );
      for (const row of rows) yield { line: Number(row.recordKey), cells: this.cells(jobId, row) };
      if (rows.length < BATCH) return;
      last = rows.at(-1)?.id ?? 0;
    }
  }

  private cells(jobId: number, row: { readonly recordKey: string; readonly payload: string | null }): string[] {
    if (row.payload === null) return [];
    return JSON.parse(this.parts.encrypter.decrypt(row.payload, rowPayloadContext(jobId, row.recordKey))) as string[];
  }

  private async keep(jobId: number, { records }: CsvFile, transaction: Parameters<typeof bulkRowRecord.insertAll>[2]) {
    const { database, encrypter } = this.parts;
    for (let start = 0; start < records.length; start += BATCH) {
      const rows = records.slice(start, start + BATCH).map(({ line, cells }) => {
        const recordKey = String(line);
        const payload = encrypter.encrypt(JSON.stringify(cells), rowPayloadContext(jobId, recordKey));
        return { jobId, recordKey, payload, state: 'queued' } as const;
      });
      await bulkRowRecord.insertAll(database, rows, transaction);
    }
  }
}
