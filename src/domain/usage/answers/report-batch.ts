import { hourOf } from '../usage.js';
import { bucketOf, noAnswers, statusClassOf, type AnswerCounts } from './answer.js';
import { LINE_FAULTS, type LineFault, type ReportedCall } from './reported-call.js';

/** Reported calls of one hour, key and product. */
export interface ReportedCalls {
  readonly hour: number;
  readonly credentialId: number;
  readonly product: string | null;
  readonly counts: AnswerCounts;
  calls: number;
  /** Milliseconds since 1970. */
  lastAt: number;
  /** Number of the first line. */
  readonly line: number;
}

/** Lines that were not counted for the same reason. */
export interface RejectedLines {
  /** Number of the first of them. */
  readonly line: number;
  readonly fault: LineFault;
  /** What the fault is, for people. */
  readonly message: string;
  lines: number;
}

/** Further ones are counted and not named. */
const MOST_NAMED = 50;

/** Calls that were reported together, added up, and the lines without a call. */
export class ReportBatch {
  private readonly groups = new Map<string, ReportedCalls>();
  private readonly named: RejectedLines[] = [];
  /** Number of calls. */
  calls = 0;
  /** Number of lines that are not counted. */
  rejectedLines = 0;

  rows(): readonly ReportedCalls[] {
    return [...this.groups.values()];
  }

  /** At most 50, in the order of their lines; what comes line after line for one reason is one. */
  rejections(): readonly RejectedLines[] {
    return [...this.named].sort((a, b) => a.line - b.line);
  }

  add({ at, credentialId, product, status, milliseconds, bytes }: ReportedCall, line: number): void {
    const hour = hourOf(at);
    const key = `${hour} ${credentialId} ${product ?? ''}`;
    const group = this.groups.get(key) ?? {
      ...{ hour, credentialId, product, line },
      ...{ counts: noAnswers(), calls: 0, lastAt: 0 },
    };
    this.groups.set(key, group);
    group.calls += 1;
    group.lastAt = Math.max(group.lastAt, at.getTime());
    group.counts[statusClassOf(status)] += 1;
    group.counts.bytes += bytes;
    if (milliseconds !== null) group.counts[bucketOf(milliseconds)] += 1;
    this.calls += 1;
  }

  /** @param line of the first of `lines` */
  reject(line: number, fault: LineFault, lines = 1): void {
    this.rejectedLines += lines;
    const last = this.named.at(-1);
    if (last?.fault === fault && last.line + last.lines === line) last.lines += lines;
    else if (this.named.length < MOST_NAMED) this.named.push({ line, fault, message: LINE_FAULTS[fault], lines });
  }

  /** Takes out calls that cannot be counted. */
  drop(group: ReportedCalls, fault: LineFault): void {
    this.groups.delete(`${group.hour} ${group.credentialId} ${group.product ?? ''}`);
    this.calls -= group.calls;
    this.reject(group.line, fault, group.calls);
  }
}
