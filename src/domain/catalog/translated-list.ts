import {
  defineList,
  type Dialect,
  type List,
  type ListDefinition,
  type ListScope,
  type OwnedRows,
} from '../../database/index.js';
import type { ListOptions, ListQuery } from '../../core/index.js';

/** Alias of a row's translation, where one is joined. */
const TEXTS = 'texts';

/** Arguments for the list engine. */
export interface TranslatedRun<Row> {
  readonly list: List<Row>;
  /** Undefined when nothing is filtered: totals of a whole table are then counted without reading its rows. */
  readonly scope: ListScope | undefined;
}

/**
 * A list of records whose name may be translated. In the default locale it uses the index of the name. In another one,
 * sorts and filters by name use what the reader sees – the translation, else the name itself – and the search covers
 * both, at the cost of one translation lookup per row.
 */
export class TranslatedList<Row> {
  private readonly plain: List<Row>;
  private readonly others = new Map<string, List<Row>>();

  /** The definition needs an alias, and its sorts and filters must call the name `name`. */
  constructor(
    private readonly definition: ListDefinition & { readonly alias: string },
    private readonly translations: OwnedRows,
  ) {
    this.plain = defineList<Row>(definition);
  }

  get options(): ListOptions {
    return this.plain.options;
  }

  /** @param locale null for the default one */
  run(
    query: ListQuery,
    scope: Omit<ListScope, 'join'> | undefined,
    locale: string | null,
    dialect: Dialect,
  ): TranslatedRun<Row> {
    const names =
      query.q !== undefined || query.orderBy === 'name' || query.filters.some(({ field }) => field === 'name');
    if (locale === null || !names) return { list: this.plain, scope };
    const { table, owner } = this.translations;
    const join = `LEFT JOIN ${table} ${TEXTS} ON ${TEXTS}.${owner} = ${this.definition.alias}.id AND ${TEXTS}.locale = ?`;
    return {
      list: this.in(locale, dialect),
      scope: { where: scope?.where ?? '1 = 1', join, values: [locale, ...(scope?.values ?? [])] },
    };
  }

  // One per locale, so that a cursor from one locale is refused in another: their orders differ.
  private in(locale: string, dialect: Dialect): List<Row> {
    const key = `${locale} ${dialect}`;
    const known = this.others.get(key);
    if (known) return known;
    const { definition } = this;
    const { alias, sorts, filters = {}, search = [] } = definition;
    // SQLite compares function results bytewise, unlike the columns they came from.
    const collation = dialect === 'sqlite' ? ' COLLATE NOCASE' : '';
    const name = { column: `COALESCE(${TEXTS}.name, ${alias}.name)${collation}`, type: 'string' } as const;
    const list = defineList<Row>({
      ...definition,
      name: `${definition.name}.${locale}`,
      sorts: { ...sorts, name },
      filters: { ...filters, name },
      search: [...search, `${TEXTS}.name`, `${TEXTS}.short_description`],
    });
    this.others.set(key, list);
    return list;
  }
}
