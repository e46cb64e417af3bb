import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { UniqueViolationError, type Database, type Transaction } from '../../../database/index.js';
import { addSeconds, PortalError, type Clock } from '../../../core/index.js';
import type { UsageConfig } from '../config.js';
import { usageFileRecord } from './answer.js';
import { formatOf, readLogLine, type LogFormat } from './log-formats.js';
import { ReportBatch, type RejectedLines } from './report-batch.js';
import { isBlank, LineSplitter, objectIn, type ReportLine } from './report-lines.js';
import type { ReportWriter } from './report-writer.js';
import { isNothing, readReportedCall, type TimeWindow } from './reported-call.js';

interface ImportParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: UsageConfig;
  readonly writer: ReportWriter;
}

/** How an access log is read. */
export interface LogChoices {
  /** null: it is found by the first line that tells. */
  readonly format: LogFormat | null;
  /** Slug of the product of lines that name none; null: that of the key, if it has but one. */
  readonly product: string | null;
  /** Reads and checks everything, and changes nothing. */
  readonly dryRun: boolean;
}

/** What became of an access log. */
export interface ImportedLog {
  readonly format: LogFormat | null;
  /** Lines of this run; those of earlier ones are not among them. */
  readonly lines: number;
  readonly counted: number;
  /** Calls that were refused or needed no key, and lines that tell of no call. */
  readonly without: number;
  readonly rejectedLines: number;
  readonly rejections: readonly RejectedLines[];
  /** Bytes that an earlier run has counted. */
  readonly known: number;
  /** The last line is not whole yet, and left for the next run. */
  readonly isUnfinished: boolean;
}

/** The log cannot be imported as it is. What was counted before stays so, and is not counted again. */
class LogImportError extends PortalError {
  static override readonly code: string = 'log_import';

  /** @param fix an instruction, without a full stop */
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super({ message });
  }
}

const LINES_PER_BATCH = 20_000;
const GROUPS_PER_BATCH = 5_000;
const LINES_PER_TURN = 1_000;
const FUTURE_S = 300;
const MOST_NAMED = 50;

/**
 * Imports access logs of proxies. What was counted and how far the log was read are one transaction, so a run that died is taken
 * up where it was, and a log that is imported again adds what has been written to it since. A log is known by its first line of
 * JSON, and what follows by a hash of all that was read.
 */
export class LogImport {
  constructor(private readonly parts: ImportParts) {}

  /**
   * @param pieces the log from its begin
   * @param choices how it is read
   * @throws LogImportError, DatabaseUnavailableError
   */
  async run(pieces: AsyncIterable<Buffer>, choices: LogChoices): Promise<ImportedLog> {
    const { clock, settings } = this.parts;
    const now = clock.now();
    const window = { from: addSeconds(now, -settings.days), to: addSeconds(now, FUTURE_S) };
    const run = new LogRun(this.parts, choices, window);
    const splitter = new LineSplitter();
    for await (const piece of pieces) {
      run.hash.enter(piece);
      for (const line of splitter.add(piece)) await run.take(line);
    }
    for (const line of splitter.finish()) await run.take(line);
    return run.finish();
  }
}

/** One log on its way in. */
class LogRun {
  readonly hash = new RunningHash();
  private batch = new ReportBatch();
  private format: LogFormat | null;
  /** SHA-256 of all up to the first line of JSON; null: it has not come yet. */
  private head: string | null = null;
  /** How far the database has counted it; null: not at all. */
  private saved: number | null = null;
  /** What an earlier run has read. */
  private known: { readonly bytes: number; readonly content: string } | null = null;
  private readTo = 0;
  private lines = 0;
  private batchLines = 0;
  private counted = 0;
  private without = 0;
  private rejectedLines = 0;
  private isUnfinished = false;
  private readonly rejections: RejectedLines[] = [];

  constructor(
    private readonly parts: ImportParts,
    private readonly choices: LogChoices,
    private readonly window: TimeWindow,
  ) {
    this.format = choices.format;
  }

  async take(line: ReportLine): Promise<void> {
    if (line.number % LINES_PER_TURN === 0) await setImmediate();
    const fields = line.text && objectIn(line.text);
    if (!line.isWhole && !fields) {
      this.isUnfinished = line.text === null || !isBlank(line.text);
      return;
    }
    if (fields && this.head === null) await this.recognise(line);
    const begin = this.readTo;
    this.readTo = line.end;
    if (this.known && begin < this.known.bytes) return this.skip(line.end, this.known);
    if (isBlank(line.text)) return;
    this.lines += 1;
    this.batchLines += 1;
    this.read(line, fields);
    if (this.head === null) return;
    if (this.batchLines >= LINES_PER_BATCH || this.batch.rows().length >= GROUPS_PER_BATCH) await this.save();
  }

  async finish(): Promise<ImportedLog> {
    if (this.batchLines > 0) await this.save();
    const { format, lines, counted, without, rejectedLines, rejections, isUnfinished } = this;
    const known = this.known?.bytes ?? 0;
    return { format, lines, counted, without, rejectedLines, rejections, known, isUnfinished };
  }

  private async recognise({ end }: ReportLine): Promise<void> {
    this.head = this.hash.digestAt(end);
    const found = await usageFileRecord.find(this.parts.database, { head: this.head });
    if (!found) return;
    this.known = found;
    this.saved = found.bytes;
    this.hash.mark(found.bytes);
    // Lines before the first JSON line were reported by the run that counted it.
    this.batch = new ReportBatch();
    [this.lines, this.batchLines, this.rejectedLines] = [0, 0, 0];
  }

  /** Reads over what is counted; a last line may have got its end since. */
  private skip(end: number, { bytes, content }: { readonly bytes: number; readonly content: string }): void {
    if (end < bytes) return;
    this.hash.digestAt(end);
    if (this.hash.marked !== content) throw refuseChanged();
  }

  private read(line: ReportLine, fields: Readonly<Record<string, unknown>> | null): void {
    if (line.text === null) return this.batch.reject(line.number, 'too_long');
    if (fields === null) return this.batch.reject(line.number, 'not_json');
    this.format ??= formatOf(fields);
    if (this.format === null) throw refuseFormat(line.number);
    const call = readLogLine(this.format, fields);
    if (call === null || isNothing(call.key_id)) {
      this.without += 1;
      return;
    }
    const product = isNothing(call.product) ? this.choices.product : call.product;
    const read = readReportedCall({ ...call, product }, this.window);
    if (typeof read === 'string') this.batch.reject(line.number, read);
    else this.batch.add(read, line.number);
  }

  private async save(): Promise<void> {
    const { batch } = this;
    this.batch = new ReportBatch();
    this.batchLines = 0;
    if (this.choices.dryRun) await this.parts.writer.check(batch);
    else if (this.head !== null) await this.write(batch, this.head);
    this.counted += batch.calls;
    this.rejectedLines += batch.rejectedLines;
    this.rejections.push(...batch.rejections().slice(0, MOST_NAMED - this.rejections.length));
  }

  private async write(batch: ReportBatch, head: string): Promise<void> {
    const { database, clock, writer } = this.parts;
    const before = this.saved;
    const progress = { content: this.hash.digestAt(this.readTo), bytes: this.readTo, importedAt: clock.now() };
    await writer.write(batch, async (transaction: Transaction) => {
      if (before === null) await insertFile(database, { head, ...progress }, transaction);
      else if ((await usageFileRecord.update(database, { head, bytes: before }, progress, transaction)) === 0)
        throw busy();
    });
    this.saved = this.readTo;
  }
}

type LogFile = Parameters<typeof usageFileRecord.insert>[1];

async function insertFile(database: Database, file: LogFile, transaction: Transaction): Promise<void> {
  try {
    await usageFileRecord.insert(database, file, transaction);
  } catch (error) {
    throw error instanceof UniqueViolationError ? busy() : error;
  }
}

/** The SHA-256 of what was read up to any place in the newest piece. */
class RunningHash {
  private readonly hash = createHash('sha256');
  private piece: Buffer = Buffer.alloc(0);
  private begin = 0;
  private hashed = 0;
  private markAt = -1;
  /** The hash at the mark, once it is behind. */
  marked: string | null = null;

  /** @param end at or after every earlier one */
  mark(end: number): void {
    this.markAt = end;
    if (end === this.hashed) this.marked = this.digestAt(end);
  }

  enter(piece: Buffer): void {
    this.hashTo(this.begin + this.piece.length);
    this.begin += this.piece.length;
    this.piece = piece;
  }

  /** @param end at or after every earlier one, in the newest piece */
  digestAt(end: number): string {
    this.hashTo(end);
    return this.hash.copy().digest('hex');
  }

  private hashTo(end: number): void {
    if (this.markAt > this.hashed && this.markAt <= end) {
      this.update(this.markAt);
      this.marked = this.hash.copy().digest('hex');
    }
    this.update(end);
  }

  private update(end: number): void {
    this.hash.update(this.piece.subarray(this.hashed - this.begin, end - this.begin));
    this.hashed = end;
  }
}

function refuseChanged(): LogImportError {
  return new LogImportError(
    'It begins like a log that was imported before, and goes on otherwise.',
    'import logs as the proxy wrote them; if two begin with the same line, have the proxy log an id of each request',
  );
}

function busy(): LogImportError {
  return new LogImportError('Another import of this log is under way.', 'wait for its end, and import it again');
}

function refuseFormat(line: number): LogImportError {
  return new LogImportError(
    `Line ${line} is of no format that is known.`,
    'have the proxy log as docs/usage.md shows, or say --format',
  );
}
