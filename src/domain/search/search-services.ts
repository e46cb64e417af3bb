import type { Clock, EventBus, Logger } from '../../core/index.js';
import type { Database, Lists, Transaction } from '../../database/index.js';
import type { CatalogServices } from '../catalog/index.js';
import { ChangeSource } from './change-source.js';
import type { ContentServices } from '../content/index.js';
import type { SearchConfig } from './config.js';
import { openFullText } from './full-text.js';
import { GuideSource } from './guide-source.js';
import { ProductSource } from './product-source.js';
import { SearchIndex } from './search-index.js';
import { SearchMisses } from './search-misses.js';
import { readBacklog, SearchQueries } from './search-queries.js';
import { SearchService } from './search-service.js';

export interface SearchServices {
  readonly finder: SearchService;
  readonly index: SearchIndex;
  readonly misses: SearchMisses;
  /** How many records wait to be indexed, and since when. */
  backlog(): Promise<{ readonly records: number; readonly since: Date | null }>;
}

interface SearchServicesParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locales: readonly string[];
  readonly catalog: Pick<CatalogServices, 'products' | 'changelog'>;
  readonly guides: ContentServices['guides'];
  readonly settings: SearchConfig;
}

/** Builds the domain's services, which note every change of what can be found from then on. */
export function createSearchServices({ catalog, guides, settings, ...parts }: SearchServicesParts): SearchServices {
  const { database, events } = parts;
  const { products, changelog } = catalog;
  const sources = [
    new ProductSource({ ...parts, products }),
    new ChangeSource({ ...parts, changelog }),
    new GuideSource({ ...parts, guides }),
  ];
  const fullText = openFullText(database);
  const index = new SearchIndex({ ...parts, fullText, sources });
  if (settings.enabled) index.listen(events);
  const misses = new SearchMisses({ ...parts, keep: settings.keepMisses });
  const queries = new SearchQueries(database, fullText, sources);
  return {
    finder: new SearchService(queries, misses, settings.enabled),
    ...{ index, misses },
    backlog: () => readBacklog(database),
  };
}
