import {
  defineList,
  type Dialect,
  type List,
  type ListDefinition,
  type ListScope,
  type OwnedRows,
} from '../../database/index.js';
import type { ListOptions, ListQuery } from '../../core/index.js';

/** The translation of a row, where one is joined. */
const TEXTS = 'texts';

/** What the engine is given. */
export interface TranslatedRun<Row> {
  readonly list: List<Row>;
  /** Undefined when everything is chosen: totals of a whole table are then counted without looking at its rows. */
  readonly scope: ListScope | undefined;
}

/**
 * A list of records whose name may be translated. In the default locale it is read along the index of the name. For
 * readers of another one, sorts and filters by name see what these readers see – the translation, else the name itself –
 * and the search looks through both; the price is one look into the translations for every row.
 */
export class TranslatedList<Row> {
  private readonly plain: List<Row>;
  private readonly others = new Map<string, List<Row>>();

  /** The alias of the definition must be given, and its sorts and filters call the name `name`. */
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

  // One for each locale, so that a cursor of one is refused in another: their orders differ.
  private in(locale: string, dialect: Dialect): List<Row> {
    const key = `${locale} ${dialect}`;
    const known = this.others.get(key);
    if (known) return known;
    const { definition } = this;
    const { alias, sorts, filters = {}, search = [] } = definition;
    // SQLite compares what a function returns byte by byte, unlike the columns that went in.
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
