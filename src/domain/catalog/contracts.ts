import type { Database, Lists, TableVersions, Transaction } from '../../database/index.js';
import type { Clock, EventBus } from '../../core/index.js';

/** Dependencies of the catalog's services. */
export interface CatalogParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly versions: TableVersions;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  /** Locale of the texts in the rows; the others are translations. */
  readonly defaultLocale: string;
  /** Every locale that readers may choose, the default one included. */
  readonly locales: readonly string[];
}
