/** How a value of a filterable field is read from JSON. */
export type FilterType = 'string' | 'integer' | 'boolean' | 'date';

export const FILTER_OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'like', 'null'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** What clients may do with a list. Plain names only: anything not listed here never reaches a query (S53). */
export interface ListOptions {
  sorts: readonly string[];
  filters: Readonly<Record<string, FilterType>>;
  relations: readonly string[];
  searchable: boolean;
}

export interface ListFilter {
  field: string;
  operator: FilterOperator;
  value: string | number | boolean | Date | readonly (string | number | Date)[];
}

/** A client's list query, already validated against the {@link ListOptions} of the list. */
export interface ListQuery {
  page: number;
  perPage: number;
  /** Opaque position returned as `next_cursor`; when present `page` is ignored. */
  cursor?: string;
  orderBy?: string;
  direction: 'ASC' | 'DESC';
  with: readonly string[];
  filters: readonly ListFilter[];
  q?: string;
}

export interface ListPage<T> {
  items: T[];
  /** Rows the caller may see; null when a cursor was used. */
  total: number | null;
  perPage: number;
  /** null when a cursor was used. */
  page: number | null;
  /** Continues after the last item; null on the last page. */
  nextCursor: string | null;
}

/** The same page with every item mapped. */
export function mapPage<A, B>(page: ListPage<A>, present: (item: A) => B): ListPage<B> {
  return { ...page, items: page.items.map(present) };
}
