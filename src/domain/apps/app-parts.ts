import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger } from '../../core/index.js';
import type { AppGateway } from './gateway-operations/app-gateway.js';
import type { AppLeases } from './app-leases.js';
import type { AppReader } from './app/app-reader.js';
import type { AppWrites } from './app/app-writes.js';
import type { AppsConfig } from './config.js';
import type { OwnerLimits, PlanAccess, ProductAccess } from './contracts.js';
import type { DeveloperGateway } from './gateway-operations/developer-gateway.js';
import type { LastUses } from './credential/last-uses.js';
import type { OperationRunner } from './gateway-operations/runner.js';
import type { LoggedOperation } from './gateway-operations/operation.js';
import type { OperationLog } from './gateway-operations/operation-log.js';

/** Finishes or rolls back interrupted changes. */
export interface AppRecovery {
  /** Everything that is due. @returns how many were settled, and how many must be retried */
  run(): Promise<{ readonly settled: number; readonly failed: number }>;
  /**
   * Settles what is due for one developer, up to a limit or until the gateway refuses; `run` does the rest. Never
   * throws gateway errors.
   */
  settleDeveloper(userId: number): Promise<void>;
  /** Settles the changes of an app whose lease is held. @throws the errors of the gateway */
  settleApp(appId: number, isRelevant?: (entry: LoggedOperation) => boolean): Promise<void>;
}

/** Dependencies of this domain's services. */
export interface AppParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateway: AppGateway;
  readonly developers: DeveloperGateway;
  readonly leases: AppLeases;
  readonly operationLog: OperationLog;
  readonly runner: OperationRunner;
  /** Built from these parts, hence available only afterwards. */
  readonly recovery: () => AppRecovery;
  readonly reader: AppReader;
  readonly lastUses: LastUses;
  readonly writes: AppWrites;
  readonly products: ProductAccess;
  readonly plans: PlanAccess;
  readonly ownerLimits: OwnerLimits;
  readonly settings: AppsConfig;
}
