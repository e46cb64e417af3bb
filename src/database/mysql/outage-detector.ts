/** Milliseconds that most callers wait for a server that has fallen silent. */
const IMPATIENT_MS = 300;

/**
 * Whether the server answers. A request asks it several times, and goes on without some of what it could not read: if each
 * of its statements waited its full time for a frozen server, they would add up to more than 3 s (R06). Once something
 * was waited for in vain, the others wait briefly until anything is answered. Now and then one of them has its full time,
 * or a server that has only become slow would never be found again; the pause between two of those is longer than the
 * time of one, so that no request meets both.
 */
export class OutageDetector {
  private isSilent = false;
  private patientAt = 0;

  /** @param now milliseconds of a clock that is never set */
  constructor(private readonly now = () => performance.now()) {}

  /** @param full milliseconds that a server that answers is waited for. @returns how long to wait this time */
  limit(full: number): number {
    if (!this.isSilent) return full;
    const now = this.now();
    if (now < this.patientAt) return Math.min(IMPATIENT_MS, full);
    this.patientAt = now + 2 * full;
    return full;
  }

  /** It answered, be it with an error. */
  felt(): void {
    this.isSilent = false;
  }

  /** Somebody waited in vain, `full` milliseconds at most. */
  missed(full: number): void {
    if (!this.isSilent) this.patientAt = this.now() + full;
    this.isSilent = true;
  }
}
