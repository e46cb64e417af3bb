import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { UniqueViolationError, type Database, type Transaction } from '../../../database/index.js';
import { addSeconds, ConflictError, PortalError, type Clock } from '../../../core/index.js';
import { usageBatchRecord } from './answer.js';
import { ReportBatch, type RejectedLines } from './report-batch.js';
import { isBlank, LineSplitter, objectIn, type ReportLine } from './report-lines.js';
import type { ReportWriter } from './report-writer.js';
import { readReportedCall } from './reported-call.js';

interface IntakeParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly writer: ReportWriter;
}

/** What became of a report. */
export interface Receipt {
  /** Lines that are not empty. */
  readonly lines: number;
  /** Calls that were counted; 0 for a report that was received before. */
  readonly counted: number;
  readonly isRepeated: boolean;
  readonly rejectedLines: number;
  readonly rejections: readonly RejectedLines[];
}

export const MOST_REPORT_BYTES = 8 * 1024 * 1024;
const MOST_LINES = 10_000;
/** So many lines are read before others get their turn. */
const LINES_PER_TURN = 250;
const FUTURE_S = 300;
/** Older calls are refused, so that reports need not be remembered forever to be counted once. */
const AGE_S = 7 * 86_400;
export const REMEMBER_REPORTS_S = AGE_S + 86_400;

/** A report has more than 8 MB or 10 000 lines; nothing of it is counted. */
class ReportTooLargeError extends PortalError {
  static override readonly code: string = 'report_too_large';
  static override readonly status = 413;
}

/** Its name is that of a report with other lines; nothing of it is counted. */
class ReportNameReusedError extends ConflictError {
  static override readonly code: string = 'idempotency_key_reused';
}

/** Takes reports of proxies: what the API answered to calls that they let through. */
export class ReportIntake {
  constructor(private readonly parts: IntakeParts) {}

  /**
   * Counts the good lines of a report, all in one transaction, and names the others. A report is known by its name, or without one by
   * its bytes, and counted once.
   * @throws ReportTooLargeError, ReportNameReusedError
   * @throws DatabaseUnavailableError; the sender repeats the same report then
   */
  async receive(body: AsyncIterable<Buffer>, name: string | null): Promise<Receipt> {
    const { batch, lines, content } = await this.read(body);
    const id = name === null ? content : createHash('sha256').update(`name ${name}`).digest('hex');
    const isRepeated = (await this.isKnown(id, content)) || !(await this.write(batch, id, content));
    return {
      lines,
      counted: isRepeated ? 0 : batch.calls,
      isRepeated,
      rejectedLines: batch.rejectedLines,
      rejections: batch.rejections(),
    };
  }

  private async read(body: AsyncIterable<Buffer>) {
    const [hash, batch, splitter] = [createHash('sha256'), new ReportBatch(), new LineSplitter()];
    let bytes = 0;
    let lines = 0;
    const take = async (found: Iterable<ReportLine>) => {
      for (const line of found) {
        if (isBlank(line.text)) continue;
        lines += 1;
        if (lines > MOST_LINES) throw new ReportTooLargeError();
        if (lines % LINES_PER_TURN === 0) await setImmediate();
        this.readLine(line, batch);
      }
    };
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > MOST_REPORT_BYTES) throw new ReportTooLargeError();
      hash.update(piece);
      await take(splitter.add(piece));
    }
    await take(splitter.finish());
    return { batch, lines, content: hash.digest('hex') };
  }

  private readLine({ number, text }: ReportLine, batch: ReportBatch): void {
    if (text === null) return batch.reject(number, 'too_long');
    const fields = objectIn(text);
    if (fields === null) return batch.reject(number, 'not_json');
    const now = this.parts.clock.now();
    const call = readReportedCall(fields, { from: addSeconds(now, -AGE_S), to: addSeconds(now, FUTURE_S) });
    if (typeof call === 'string') batch.reject(number, call);
    else batch.add(call, number);
  }

  /** @returns false if it was written before, or is by another replica at this moment */
  private async write(batch: ReportBatch, id: string, content: string): Promise<boolean> {
    const { database, clock, writer } = this.parts;
    const note = async (transaction: Transaction) => {
      await usageBatchRecord.insert(database, { id, content, receivedAt: clock.now() }, transaction);
    };
    try {
      await writer.write(batch, note);
      return true;
    } catch (error) {
      if (error instanceof UniqueViolationError && (await this.isKnown(id, content))) return false;
      throw error;
    }
  }

  private async isKnown(id: string, content: string): Promise<boolean> {
    const known = await usageBatchRecord.find(this.parts.database, { id }, { only: ['content'] });
    if (known && known.content !== content) throw new ReportNameReusedError();
    return known !== null;
  }
}
