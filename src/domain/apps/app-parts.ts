import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, EventBus, Logger } from '../../kernel/index.js';
import type { AppGateway } from './app-gateway.js';
import type { AppLeases } from './app-leases.js';
import type { AppReader } from './app-reader.js';
import type { AppsConfig } from './config.js';
import type { ProductAccess } from './contracts.js';

/** What the services of this domain are made of. */
export interface AppParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateway: AppGateway;
  readonly leases: AppLeases;
  readonly reader: AppReader;
  readonly products: ProductAccess;
  readonly settings: AppsConfig;
}
