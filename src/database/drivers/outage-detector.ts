/** Milliseconds that most callers wait for an unresponsive server. */
const IMPATIENT_MS = 300;

/**
 * Shortens time limits while the server is unresponsive. A request runs several statements; if each waited its full
 * time for a frozen server, they would exceed 3 s (R06). After one timeout, statements get a short limit until
 * something is answered. Occasionally one gets its full time again, or a server that has only become slow would never
 * be noticed; these are further apart than one full time, so that no request meets two.
 */
export class OutageDetector {
  private isSilent = false;
  private patientAt = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now = () => performance.now()) {}

  /** @param full time limit in milliseconds for a responsive server. @returns the limit for this statement */
  limit(full: number): number {
    if (!this.isSilent) return full;
    const now = this.now();
    if (now < this.patientAt) return Math.min(IMPATIENT_MS, full);
    this.patientAt = now + 2 * full;
    return full;
  }

  /** The server answered, even if with an error. */
  noteAnswer(): void {
    this.isSilent = false;
  }

  /** A statement timed out after at most `full` milliseconds. */
  noteTimeout(full: number): void {
    if (!this.isSilent) this.patientAt = this.now() + full;
    this.isSilent = true;
  }
}
