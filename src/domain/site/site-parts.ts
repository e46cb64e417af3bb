import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, Encrypter, EventBus, Locales } from '../../core/index.js';

/** Dependencies of this domain's services. */
export interface SiteParts extends Locales {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}
