import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger } from '../../core/index.js';
import type { AppGateway } from './provisioning/app-gateway.js';
import type { AppLeases } from './app-leases.js';
import type { AppReader } from './app/app-reader.js';
import type { AppWrites } from './app/app-writes.js';
import type { AppsConfig } from './config.js';
import type { ProductAccess } from './contracts.js';
import type { DeveloperGateway } from './provisioning/developer-gateway.js';
import type { LastUses } from './credential/last-uses.js';
import type { OperationRunner } from './gateway-operations/runner.js';
import type { LoggedOperation } from './gateway-operations/operation.js';
import type { OperationLog } from './gateway-operations/operation-log.js';

/** Brings changes to an end that broke off. */
export interface AppRecovery {
  /** Everything that is due. @returns how much was brought to an end, and how much has to be tried again */
  run(): Promise<{ readonly settled: number; readonly failed: number }>;
  /** What is due of one developer, until the gateway refuses or it is many; `run` does the rest. Never throws for the gateway. */
  settleDeveloper(userId: number): Promise<void>;
  /** The changes of an app whose lease is held. @throws the errors of the gateway */
  settleApp(appId: number, matters?: (intent: LoggedOperation) => boolean): Promise<void>;
}

/** What the services of this domain are made of. */
export interface AppParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateway: AppGateway;
  readonly developers: DeveloperGateway;
  readonly leases: AppLeases;
  readonly intents: OperationLog;
  readonly runner: OperationRunner;
  /** Put together from these parts, and so known only after them. */
  readonly recovery: () => AppRecovery;
  readonly reader: AppReader;
  readonly lastUses: LastUses;
  readonly writes: AppWrites;
  readonly products: ProductAccess;
  readonly settings: AppsConfig;
}
