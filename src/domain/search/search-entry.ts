import { defineList, defineRecord, fieldOf, type RowOf } from '../../database/index.js';

/** What can be found, in the order in which equally good ones come. */
export const SEARCH_TYPES = ['product', 'guide', 'operation', 'schema', 'workflow', 'news', 'change'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** The locale of texts that are the same in every language. */
export const ANY_LOCALE = '*';

/** Something that can be found, as its source describes it. */
export interface SearchDocument {
  readonly type: SearchType;
  /** Where below its record: the address of an operation, the name of a schema, the id of a workflow, the path of a guide. */
  readonly place: string;
  /** {@link ANY_LOCALE} unless it is in one language. */
  readonly locale: string;
  readonly name: string;
  readonly summary: string;
  /** Plain text. */
  readonly body: string;
  /** Words that find it and are not shown. */
  readonly keywords?: string;
}

/** All of it that belongs to one record; without documents nothing of it can be found. */
export interface SearchScope {
  /** The product whose visibility decides; null where the source decides by itself. */
  readonly productId: number | null;
  /** When the record last changed. */
  readonly updatedAt: Date;
  readonly documents: readonly SearchDocument[];
}

const scope = { source: fieldOf.text(16), recordId: fieldOf.bigint() };

/** A row of what can be found. `portal_search_index` has its words. */
export const entryRecord = defineRecord({
  name: 'SearchEntry',
  table: 'portal_search_entries',
  alias: 'e',
  fields: {
    id: fieldOf.id(),
    ...scope,
    productId: fieldOf.bigint().nullable(),
    type: fieldOf.text<SearchType>(16),
    place: fieldOf.text(500),
    locale: fieldOf.text(16),
    name: fieldOf.text(300),
    summary: fieldOf.text(600),
    body: fieldOf.longText(),
    digest: fieldOf.text(64),
  },
});

/** The state of a record in the index. */
export const scopeRecord = defineRecord({
  name: 'SearchScope',
  table: 'portal_search_scopes',
  alias: 's',
  fields: {
    source: fieldOf.text(16).key(),
    recordId: fieldOf.bigint().key(),
    /** Grows with each writing: of two replicas that write the same record the second notices. */
    version: fieldOf.integer(),
    /** How it was indexed; another one makes it stale. */
    format: fieldOf.text(100),
    /** When the record had last changed. */
    changedAt: fieldOf.time(),
  },
});

/** A record that has changed and is to be indexed again. Rows are only added by changes, so they never wait here. */
export const searchChangeRecord = defineRecord({
  name: 'SearchChange',
  table: 'portal_search_changes',
  alias: 'c',
  fields: { id: fieldOf.id(), ...scope, createdAt: fieldOf.time() },
});

/** The words of names and summaries, for typos. */
export const wordRecord = defineRecord({
  name: 'SearchWord',
  table: 'portal_search_words',
  alias: 'w',
  fields: {
    word: fieldOf.text(40).key(),
    source: fieldOf.text(16).key(),
    recordId: fieldOf.bigint().key(),
    productId: fieldOf.bigint().nullable(),
  },
});

export const gramRecord = defineRecord({
  name: 'SearchGram',
  table: 'portal_search_grams',
  alias: 'g',
  fields: { gram: fieldOf.text(3).key(), word: fieldOf.text(40).key(), length: fieldOf.integer() },
});

/** What was looked for in vain on a day, without who did. */
export const missRecord = defineRecord({
  name: 'SearchMiss',
  table: 'portal_search_misses',
  alias: 'm',
  fields: {
    id: fieldOf.id(),
    /** `2026-11-24`, in UTC. */
    day: fieldOf.text(10),
    locale: fieldOf.text(16),
    query: fieldOf.text(100),
    count: fieldOf.integer(),
  },
});

export type SearchMiss = RowOf<typeof missRecord>;

/** As admins list them: the latest and most frequent first. */
export const missList = defineList<SearchMiss>({
  ...missRecord.list({
    name: 'search-misses',
    sorts: ['day', 'count', 'query'],
    filters: ['day', 'locale', 'query', 'count'],
    search: ['query'],
  }),
  defaultSort: 'day',
});
