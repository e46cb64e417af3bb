/** A line of a report, without its end. */
export interface ReportLine {
  /** From 1. */
  readonly number: number;
  /** null: it was too long to be kept. */
  readonly text: Buffer | null;
  /** Where the next one begins, in bytes. */
  readonly end: number;
  /** Whether its end was seen: the last line of a file that is still written may be a part of one. */
  readonly isWhole: boolean;
}

/** Longer lines are read over; no line of a call comes near it. */
const LONGEST_LINE = 16 * 1024;
const LINE_END = 0x0a;

/** Takes bytes apart into lines, with no more in memory than one of them. */
export class LineSplitter {
  private number = 0;
  private offset = 0;
  private held: Buffer[] = [];
  private heldBytes = 0;

  /** The lines that end within these bytes. */
  *add(bytes: Buffer): Generator<ReportLine> {
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
      this.hold(bytes.subarray(start, end));
      this.offset += 1;
      yield this.take(true);
      start = end + 1;
    }
    this.hold(bytes.subarray(start));
  }

  /** What follows the last end of a line, if anything does. */
  *finish(): Generator<ReportLine> {
    if (this.heldBytes > 0) yield this.take(false);
  }

  private hold(piece: Buffer): void {
    this.offset += piece.length;
    this.heldBytes += piece.length;
    if (this.heldBytes <= LONGEST_LINE) this.held.push(piece);
    else this.held = [];
  }

  private take(isWhole: boolean): ReportLine {
    this.number += 1;
    const text = this.heldBytes <= LONGEST_LINE ? Buffer.concat(this.held) : null;
    this.held = [];
    this.heldBytes = 0;
    return { number: this.number, text, end: this.offset, isWhole };
  }
}

/** The JSON object in a line; null: there is none. */
export function objectIn(text: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Whether there is nothing in it but white space. */
export function isBlank(text: Buffer | null): boolean {
  return text !== null && text.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
