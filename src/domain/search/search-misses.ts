import { addSeconds, type Clock, type ListPage, type ListQuery } from '../../core/index.js';
import { removeExpired, type Database, type Lists } from '../../database/index.js';
import { missList, missRecord, type SearchMiss } from './search-entry.js';
import { addMiss } from './search-queries.js';
import { wellFormed } from './search-text.js';

const LONGEST_QUERY = 100;
/** Of one day: somebody may send random texts. */
const MOST_A_DAY = 1_000;
/** Not yet written, in this process. */
const MOST_KEPT = 500;
/** Looks like an address, a number of a person or a secret: nobody should find that in a list. */
const PERSONAL = /@|\d{6}|[^\s]{30}/;

interface SearchMissesParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly clock: Clock;
  /** Seconds that they are kept. */
  readonly keep: number;
}

/** What was looked for in vain, by day, without who did. Written from time to time; a crash loses the latest minute. */
export class SearchMisses {
  private readonly noted = new Map<string, { day: string; locale: string; query: string; count: number }>();

  constructor(private readonly parts: SearchMissesParts) {}

  note(text: string, locale: string): void {
    const query = text
      .normalize('NFC')
      .replaceAll(/[\p{C}\s]+/gu, ' ')
      .trim()
      .toLowerCase()
      .slice(0, LONGEST_QUERY);
    if (query === '' || PERSONAL.test(query)) return;
    const day = dayOf(this.parts.clock.now());
    const key = JSON.stringify([day, locale, query]);
    const known = this.noted.get(key);
    if (known) known.count += 1;
    else if (this.noted.size < MOST_KEPT) this.noted.set(key, { day, locale, query: wellFormed(query), count: 1 });
  }

  /** Writes what was noted; a background job runs it. */
  async flush(): Promise<void> {
    const { database } = this.parts;
    const noted = [...this.noted.values()].sort((a, b) => (a.query < b.query ? -1 : 1));
    this.noted.clear();
    if (noted.length === 0) return;
    await database.transaction(async (transaction) => {
      let room = MOST_A_DAY - (await missRecord.count(database, { day: dayOf(this.parts.clock.now()) }, transaction));
      for (const miss of noted) {
        const { day, locale, query } = miss;
        const isKnown = await missRecord.has(database, { day, locale, query }, transaction);
        if (!isKnown && room <= 0) continue;
        room -= isKnown ? 0 : 1;
        await addMiss(database, miss, transaction);
      }
    });
  }

  /** @throws ValidationError naming what the list does not support */
  list(query: ListQuery): Promise<ListPage<SearchMiss>> {
    return this.parts.lists.run(missList, query);
  }

  /** Removes those of long ago. */
  async prune(): Promise<void> {
    const { database, clock, keep } = this.parts;
    const old = { condition: 'day < ?', values: [dayOf(addSeconds(clock.now(), -keep))] };
    await removeExpired(database, { table: missRecord.table, key: 'id', ...old });
  }
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
