import type { FilterType, ListOptions } from '../../core/index.js';
import type { Decode } from '../decode.js';

/** A column that clients may sort or filter by. */
export interface ListColumn {
  /** SQL using the alias, for example `t.created_at`; never from a client. */
  column: string;
  type: FilterType;
  /** Whether it can be NULL. Leave out for NOT NULL columns, so that their indexes are fully used. */
  nullable?: boolean;
  /**
   * Sorts only: the column has a unique index. The order then needs no id as tie-breaker, which that index does not
   * provide on every database.
   */
  unique?: boolean;
  /**
   * Filters only: the column belongs to related rows. A subquery up to its WHERE clause, for example `SELECT 1 FROM
   * tags g WHERE g.product_id = p.id`; a row matches when one of them does.
   */
  within?: string;
}

export interface ListDefinition {
  /** Identifies the list in cursors and totals; globally unique. */
  name: string;
  /** Table of the rows; its primary key must be an integer `id`. */
  table: string;
  /** Alias of the table in all SQL of this definition; `t` by default. */
  alias?: string;
  /** Name in the result → SQL. */
  columns: Readonly<Record<string, string>>;
  /** Joined only to read `columns`, for the rows of the page. */
  join?: string;
  decode?: Decode;
  sorts: Readonly<Record<string, ListColumn>>;
  filters?: Readonly<Record<string, ListColumn>>;
  /** Text columns searched by `q`. */
  search?: readonly string[];
  relations?: readonly string[];
  /** Name of a sort; `created_at` by default. The query sets the direction. */
  defaultSort?: string;
}

/** A compiled list. `Row` is the type of a result after `decode`. */
export interface List<Row> {
  readonly definition: Required<Omit<ListDefinition, 'join'>> & Pick<ListDefinition, 'join'>;
  /** The list's options for clients, used for validation and documentation. */
  readonly options: ListOptions;
  /** Type carrier only. */
  readonly row?: Row;
}

/** @throws Error for an invalid definition, at start rather than at the first request */
export function defineList<Row>(definition: ListDefinition): List<Row> {
  const { sorts, filters = {}, search = [], relations = [], defaultSort = 'created_at' } = definition;
  if (!(defaultSort in sorts)) throw new Error(`the list ${definition.name} has no sort ${defaultSort}`);
  return {
    definition: { alias: 't', decode: {}, ...definition, filters, search, relations, defaultSort },
    options: {
      sorts: Object.keys(sorts),
      filters: Object.fromEntries(Object.entries(filters).map(([name, { type }]) => [name, type])),
      relations,
      searchable: search.length > 0,
    },
  };
}
