import { systemClock, type CorrectedClock, type Logger, type ProcessMetrics } from '../core/index.js';

/** What replicas bear of one another: tokens allow for five seconds, and asking for the time takes some of its own. */
const TOLERABLE_MS = 2_000;
const WORTH_A_WARNING_MS = 10_000;
const WARN_EVERY_MS = 600_000;
/** An answer that took longer does not say when it was right. */
const LONGEST_ANSWER_MS = 1_000;

/** Keeps the portal's clock near one that all replicas share, and tells how far this machine is from it (R30). */
export class ClockWatch {
  private aheadMs = 0;
  private warnedAt = -Infinity;

  constructor(
    vitals: ProcessMetrics,
    private readonly clock: CorrectedClock,
    private readonly logger: Logger,
  ) {
    vitals.watch('clock_skew_seconds', () => this.aheadMs / 1_000);
  }

  /** @param ask resolves with the shared time, in milliseconds since 1970 */
  async compare(ask: () => Promise<number>): Promise<void> {
    const began = performance.now();
    const shared = await ask();
    const took = performance.now() - began;
    if (took > LONGEST_ANSWER_MS || !Number.isFinite(shared)) return;
    // It was that time somewhere between question and answer.
    this.aheadMs = systemClock.now().getTime() - took / 2 - shared;
    const isTolerable = Math.abs(this.aheadMs) < TOLERABLE_MS;
    this.clock.correct(isTolerable ? 0 : this.aheadMs);
    if (Math.abs(this.aheadMs) >= WORTH_A_WARNING_MS) this.warn();
  }

  private warn(): void {
    if (performance.now() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = performance.now();
    const seconds = Math.round(this.aheadMs / 1_000);
    this.logger.warn(
      { clock_skew_seconds: seconds },
      'the clock of this machine is wrong and made up for: synchronize it (NTP)',
    );
  }
}
