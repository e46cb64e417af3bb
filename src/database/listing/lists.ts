import type { Transaction } from 'sequelize';
import { ValidationError, type Clock, type ListQuery, type ListPage } from '../../core/index.js';
import type { Database } from '../database.js';
import { decodeRows } from '../decode.js';
import type { RawRow, SqlValue } from '../driver.js';
import { filterCondition, joinConditions, searchCondition, refuseName, type Condition } from './conditions.js';
import { startAfter, decodeCursor, encodeCursor, type Order } from './cursor.js';
import type { List } from './list.js';
import { Totals } from './totals.js';

/**
 * Larger offsets are too expensive; clients continue with a cursor (contract, section 4).
 * @internal
 */
export const LAST_PAGE = 10_000;

/** Restricts a list to what the caller may see. */
export interface ListScope {
  /** A condition using the list's alias, with `?` for every value. */
  where: string;
  /** Values for the placeholders of `join`, then of `where`. */
  values: readonly SqlValue[];
  /** Joined when selecting and counting rows. Must not multiply rows; use EXISTS in a condition instead. */
  join?: string;
}

export interface ListRunOptions {
  scope?: ListScope | undefined;
  transaction?: Transaction | undefined;
}

interface Plan {
  order: Order;
  conditions: readonly Condition[];
  /** Values of the scope's join come first. */
  join: string;
  /** Name in the result → SQL: the columns of the list, plus those that the engine needs. */
  selection: Readonly<Record<string, string>>;
  /** Result names of the cursor's parts. */
  key: string;
  sort: string;
}

const KEY = 'list_key';
const SORT = 'list_sort';

/** The engine behind every list (S53): client input reaches SQL only as bound values. */
export class Lists {
  private readonly totals: Totals;

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.totals = new Totals(clock);
  }

  /**
   * One page. Without a cursor it has the exact total; totals above 100 000 may be 30 s old.
   * @throws ValidationError naming `order_by`, `filters`, `q`, `page` or `cursor`
   */
  async run<Row>(
    list: List<Row>,
    query: ListQuery,
    { scope, transaction }: ListRunOptions = {},
  ): Promise<ListPage<Row>> {
    if (query.cursor === undefined && query.page > LAST_PAGE) {
      throw new ValidationError({
        page: [`Pages end at ${LAST_PAGE}. Go on with cursor (meta.pagination.next_cursor).`],
      });
    }
    const plan = this.plan(list, query, scope);
    const rows = await this.rows(list, query, plan, transaction);
    const more = rows.length > query.perPage;
    const shown = rows.slice(0, query.perPage);
    const last = shown.at(-1);
    const common = {
      perPage: query.perPage,
      nextCursor: more && last ? encodeCursor(plan.order, positionOf(last, plan)) : null,
    };
    const items = pick(list, plan, shown);
    if (query.cursor !== undefined) return { ...common, items, total: null, page: null };
    const total = await this.total(list, query, plan, shown.length, more, transaction);
    return { ...common, items, total, page: query.page };
  }

  /**
   * Every row in order, `perPage` at a time and without totals: memory use is constant, and concurrent inserts and
   * deletes neither repeat nor skip other rows.
   * @throws as {@link run}
   */
  async *walk<Row>(list: List<Row>, query: ListQuery, { scope }: ListRunOptions = {}): AsyncGenerator<Row[]> {
    const { cursor: _, ...fromStart } = query;
    const plan = this.plan(list, fromStart, scope);
    for (let at: Partial<ListQuery> = { page: 1 }; ;) {
      const rows = await this.rows(list, { ...fromStart, ...at }, plan, undefined);
      const shown = rows.slice(0, query.perPage);
      const last = shown.at(-1);
      if (shown.length > 0) yield pick(list, plan, shown);
      if (!last || rows.length <= query.perPage) return;
      at = { cursor: encodeCursor(plan.order, positionOf(last, plan)) };
    }
  }

  /** A total of rows that no list holds, kept as theirs are. @param name the same for the same rows */
  count(name: string, count: () => Promise<number>): Promise<number> {
    return this.totals.find(name, count);
  }

  private plan<Row>({ definition }: List<Row>, query: ListQuery, scope: ListScope | undefined): Plan {
    const { dialect } = this.database;
    const conditions: Condition[] = [
      ...(scope ? [{ sql: `(${scope.where})`, values: scope.values }] : []),
      ...query.filters.map((filter) => filterCondition(filter, definition.filters, dialect)),
    ];
    const search = query.q === undefined ? null : searchCondition(query.q, definition.search, dialect);
    if (search) conditions.push(search);
    const sort = query.orderBy ?? definition.defaultSort;
    const column = Object.hasOwn(definition.sorts, sort) ? definition.sorts[sort] : undefined;
    if (!column) throw refuseName('order_by', sort, Object.keys(definition.sorts));
    const direction = query.direction === 'ASC' ? 'ASC' : 'DESC';
    const order: Order = { list: definition.name, sort, column, id: `${definition.alias}.id`, direction };
    return { order, conditions, join: scope?.join ?? '', ...selectionOf(definition.columns, order) };
  }

  // The page's ids come from an index alone; only its rows are then read in full.
  private async rows<Row>(list: List<Row>, query: ListQuery, plan: Plan, transaction: Transaction | undefined) {
    const { definition } = list;
    const { order, conditions, join, selection, sort } = plan;
    const { alias, table, decode } = definition;
    const { cursor } = query;
    const where = joinWhere(
      cursor === undefined ? conditions : [...conditions, startAfter(decodeCursor(cursor, order), order)],
    );
    const offset = cursor === undefined ? (query.page - 1) * query.perPage : 0;
    const names = Object.entries(selection).map(([name, sql]) => `${sql} AS \`${name}\``);
    const sql = `SELECT ${names.join(', ')}
      FROM (SELECT ${order.id} AS ${KEY}, ${order.column.column} AS ${SORT} FROM ${table} ${alias} ${join}
        ${where.sql} ORDER BY ${orderBy(order, order.column.column, order.id)}
        LIMIT ? OFFSET ?) page
      JOIN ${table} ${alias} ON ${order.id} = page.${KEY} ${definition.join ?? ''}
      ORDER BY ${orderBy(order, `page.${SORT}`, `page.${KEY}`)}`;
    const rows = await this.database.select(sql, [...where.values, query.perPage + 1, offset], { transaction });
    decodeRows(rows, decode);
    return order.column.type === 'date' && !(sort in decode) ? decodeRows(rows, { [sort]: 'date' }) : rows;
  }

  private async total<Row>(
    { definition }: List<Row>,
    query: ListQuery,
    { conditions, join }: Plan,
    shown: number,
    more: boolean,
    transaction: Transaction | undefined,
  ): Promise<number> {
    // On the last page the total follows from its position.
    if (!more && (shown > 0 || query.page === 1)) return (query.page - 1) * query.perPage + shown;
    const where = joinWhere(conditions);
    const key = JSON.stringify([definition.name, join, where.sql, where.values.map(String)]);
    const sql = `SELECT COUNT(*) AS total FROM ${definition.table} ${definition.alias} ${join} ${where.sql}`;
    const count = async () => {
      const [row] = await this.database.select(sql, where.values, { transaction });
      return Number(row?.total);
    };
    // Inside a transaction the count may include uncommitted rows.
    return transaction ? count() : this.totals.find(key, count);
  }
}

// Omitted rather than always true: SQLite then counts a table without reading its rows.
function joinWhere(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: '', values: [] };
  const { sql, values } = joinConditions(conditions, 'AND');
  return { sql: `WHERE ${sql}`, values };
}

function orderBy({ column, id, direction }: Order, sort: string, key: string): string {
  if (column.column === id) return `${key} ${direction}`;
  return column.unique ? `${sort} ${direction}` : `${sort} ${direction}, ${key} ${direction}`;
}

// Columns that the list selects anyway are not read twice; if nothing is added, the rows are returned as they are.
function selectionOf(columns: Readonly<Record<string, string>>, order: Order) {
  const names = Object.keys(columns);
  const findName = (sql: string) => names.find((name) => columns[name] === sql);
  const key = findName(order.id) ?? KEY;
  const sort = findName(order.column.column) ?? SORT;
  const selection = {
    ...columns,
    ...(key === KEY && { [KEY]: `page.${KEY}` }),
    ...(sort === SORT && { [SORT]: `page.${SORT}` }),
  };
  return { selection, key, sort };
}

function positionOf(row: RawRow, { order: { column }, key, sort }: Plan) {
  const value = row[sort] as SqlValue;
  return { value: column.type === 'boolean' && value !== null ? Number(value) : value, id: Number(row[key]) };
}

function pick<Row>({ definition }: List<Row>, { selection }: Plan, rows: readonly RawRow[]): Row[] {
  const names = Object.keys(definition.columns);
  if (Object.keys(selection).length === names.length) return rows as Row[];
  return rows.map((row) => {
    const item: RawRow = {};
    for (const name of names) item[name] = row[name];
    return item as Row;
  });
}
