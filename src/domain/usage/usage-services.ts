import { randomUUID } from 'node:crypto';
import type { Clock, EventBus, Logger, ProcessMetrics } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import type { UsageConfig } from './config.js';
import { RefusalReader } from './refusal-reader.js';
import { UsageCounter } from './usage-counter.js';
import { UsageEraser } from './usage-eraser.js';
import { UsagePruner } from './usage-pruner.js';
import { UsageReader } from './usage-reader.js';
import { UsageRollUp } from './usage-roll-up.js';
import { UsageWriter } from './usage-writer.js';

/** The services of this domain. */
export interface UsageServices {
  readonly reader: UsageReader;
  readonly refusals: RefusalReader;
  /** null unless calls are counted. */
  readonly counter: UsageCounter | null;
  /** Sums up, prunes and erases; a background job runs it. */
  maintain(stopping: AbortSignal): Promise<void>;
}

interface UsageServicesParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly processMetrics: ProcessMetrics;
  readonly settings: UsageConfig;
}

/** Builds the domain's services and subscribes them to deletions of apps. */
export function createUsageServices(parts: UsageServicesParts): UsageServices {
  const eraser = new UsageEraser(parts);
  eraser.listen(parts.events);
  const steps = [new UsageRollUp(parts), new UsagePruner(parts), eraser];
  const writer = new UsageWriter({ ...parts, replica: randomUUID() });
  return {
    reader: new UsageReader(parts),
    refusals: new RefusalReader(parts),
    counter: parts.settings.enabled ? new UsageCounter({ ...parts, writer }) : null,
    async maintain(stopping) {
      for (const step of steps) await step.run(stopping);
    },
  };
}
