import type { EventBus, Logger, Clock } from '../../core/index.js';
import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Gateway } from '../../gateway/index.js';
import { ActivityEraser } from './personal-data.js';
import { ActivityPruner } from './activity-pruner.js';
import { ActivityReader } from './activity-reader.js';
import { ActivityRecorder } from './activity-recorder.js';
import { ChainCheck } from './chain-check.js';
import { ChainGuard, ActivityChain } from './hash-chain.js';
import { ChainKeys } from './chain-hash.js';
import { ChainState } from './chain-state.js';
import { ChainVerifier } from './chain-verifier.js';
import { PortalStatistics, type StatisticsParts } from './portal-statistics.js';
import { RefusalBudget } from './refusal-budget.js';

export interface ActivityServices {
  readonly log: ActivityReader;
  /** Checks the integrity of the log. */
  readonly verifier: ChainVerifier;
  /** What the last verification found. */
  readonly check: ChainCheck;
  readonly guard: ChainGuard;
  readonly pruner: ActivityPruner;
  readonly statistics: PortalStatistics;
}

interface ActivityServicesParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly waiting: StatisticsParts['waiting'];
  /** Master keys of the hash chain, newest first. */
  readonly masters: readonly [Buffer, ...Buffer[]];
  readonly gateway: Gateway;
  /** Name of the gateway driver. */
  readonly driver: string;
}

/** Builds the domain's services and records every event from then on. */
export function createActivityServices(base: ActivityServicesParts): ActivityServices {
  const { database, clock, logger, events } = base;
  const keys = new ChainKeys(base.masters);
  const head = new ChainState(database, keys);
  const chain = new ActivityChain(database, head, keys);
  const verifier = new ChainVerifier(database, head, keys);
  new ActivityRecorder({ database, clock, chain, refusals: new RefusalBudget(clock, logger) }).listen(events);
  new ActivityEraser(database).listen(events);
  return {
    log: new ActivityReader(base),
    verifier,
    check: new ChainCheck({ database, clock, logger, keys, verifier }),
    guard: new ChainGuard(database),
    pruner: new ActivityPruner({ database, clock, chain, head, verifier }),
    statistics: new PortalStatistics(base),
  };
}
