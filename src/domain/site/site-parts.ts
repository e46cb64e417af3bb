import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, Encrypter, EventBus, Locales } from '../../core/index.js';

/** What the services of this domain are made of. */
export interface SiteParts extends Locales {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}
