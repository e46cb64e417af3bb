import type { FilterType, ListOptions } from '../../core/index.js';
import type { Decode } from '../decode.js';

/** A column that clients may sort or filter by. */
export interface ListColumn {
  /** SQL over the alias, for example `t.created_at`; written by us, never by a client. */
  column: string;
  type: FilterType;
  /** Whether rows may lack it. Leave out for NOT NULL columns: their indexes are then used to the full. */
  nullable?: boolean;
  /**
   * Sorts only: no two rows of a list have the same value, as its unique index says. The order then needs no id behind it,
   * which that index does not give on every database.
   */
  unique?: boolean;
  /**
   * Filters only: the column belongs to related rows. A subquery up to its WHERE clause, for example `SELECT 1 FROM tags g
   * WHERE g.product_id = p.id`; the row is chosen when one of them fits.
   */
  within?: string;
}

export interface ListDefinition {
  /** Names the list in cursors and totals; unique in the program. */
  name: string;
  /** Table of the rows; its primary key must be an integer `id`. */
  table: string;
  /** Alias of the table in every SQL of this definition; `t` by default. */
  alias?: string;
  /** Name in the result → SQL. */
  columns: Readonly<Record<string, string>>;
  /** Joined to read `columns`, and only for the rows of the page. */
  join?: string;
  decode?: Decode;
  sorts: Readonly<Record<string, ListColumn>>;
  filters?: Readonly<Record<string, ListColumn>>;
  /** Text columns looked through by `q`. */
  search?: readonly string[];
  relations?: readonly string[];
  /** Name of a sort; `created_at` by default. The direction comes with the query. */
  defaultSort?: string;
}

/** A list as the engine takes it. `Row` is what a result looks like after `decode`. */
export interface List<Row> {
  readonly definition: Required<Omit<ListDefinition, 'join'>> & Pick<ListDefinition, 'join'>;
  /** What clients may do, for validation and documentation. */
  readonly options: ListOptions;
  /** Only carries the type. */
  readonly row?: Row;
}

/** @throws Error for a definition that cannot work, at start and not at the first request */
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
