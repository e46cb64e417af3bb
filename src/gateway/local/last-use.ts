import { Op, type Database } from '../../database/index.js';
import { addSeconds, type Clock, type Logger } from '../../core/index.js';
import { localKeyRecord } from './records.js';

/** Resolution of `last_used_at`; a finer one would cost a write per API call. */
const GRANULARITY_S = 60;

/** Records key usage in the background: it neither delays nor fails the proxy's answer. */
export class LastUseRecorder {
  private readonly writing = new Map<number, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @param before the value in the key's row */
  record(keyId: number, before: Date | null): void {
    const now = this.clock.now();
    const due = addSeconds(now, -GRANULARITY_S);
    // By absolute difference: a clock that was set back must not stop the recording (R29).
    if (before && Math.abs(now.getTime() - before.getTime()) < GRANULARITY_S * 1000) return;
    if (this.writing.has(keyId)) return;
    const write = this.write(keyId, now, due).finally(() => this.writing.delete(keyId));
    this.writing.set(keyId, write);
  }

  /** Waits for pending writes. */
  async settle(): Promise<void> {
    await Promise.all(this.writing.values());
  }

  private async write(keyId: number, now: Date, due: Date): Promise<void> {
    try {
      // The condition keeps replicas that saw the same old value from all writing.
      const lastUsedAt = { [Op.or]: [null, { [Op.lte]: due }, { [Op.gt]: now }] };
      await localKeyRecord.update(this.database, { id: keyId, lastUsedAt }, { lastUsedAt: now });
    } catch (error) {
      this.logger.warn({ err: error, gateway_key: keyId }, 'the last use of a key could not be noted');
    }
  }
}
