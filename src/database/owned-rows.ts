import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import type { SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';
import type { Fields, ShownRow } from './record-field.js';
import type { RecordTable } from './record.js';

/** Rows per statement, below the number of values that SQLite takes. */
const BATCH = 500;

/** Dependent rows: parts of a record, or rows of a join table. Names come from our code. */
export interface OwnedRows {
  readonly table: string;
  /** Column with the id of the owning record. */
  readonly owner: string;
}

/** Rows of a join table; each `key` occurs once per owner. */
export interface JoinRows extends OwnedRows {
  /** Column with the id of the other record. */
  readonly key: string;
}

export async function countRows(
  database: Database,
  rows: OwnedRows,
  ownerId: number,
  transaction: Transaction,
): Promise<number> {
  return (await countRowsOf(database, rows, [ownerId], transaction)).get(ownerId) ?? 0;
}

/** The number of rows of each owner, by its id; owners without any are absent. */
export async function countRowsOf(
  database: Database,
  { table, owner }: OwnedRows,
  ownerIds: readonly number[],
  transaction?: Transaction,
): Promise<Map<number, number>> {
  if (ownerIds.length === 0) return new Map();
  const rows = await database.select<{ ownerId: number; total: number }>(
    `SELECT ${owner} AS ownerId, COUNT(*) AS total FROM ${table} WHERE ${owner} IN (${placeholders(ownerIds)}) GROUP BY ${owner}`,
    ownerIds,
    { transaction },
  );
  return new Map(rows.map(({ ownerId, total }) => [ownerId, Number(total)]));
}

interface RowsOptions<T> {
  /** Property → column. */
  readonly columns: { readonly [K in keyof T]: string };
  /** SQL. */
  readonly order: string;
  readonly transaction?: Transaction | undefined;
}

/** The rows of each owner, by its id, in one query; owners without any are absent. */
export async function findRows<T extends object>(
  database: Database,
  { table, owner }: OwnedRows,
  ownerIds: readonly number[],
  { columns, order, transaction }: RowsOptions<T>,
): Promise<Map<number, T[]>> {
  if (ownerIds.length === 0) return new Map();
  const selected = Object.entries<string>(columns).map(([name, column]) => `${column} AS \`${name}\``);
  const rows = await database.select<T & Owned>(
    `SELECT ${owner} AS ownerId, ${selected.join(', ')} FROM ${table} WHERE ${owner} IN (${placeholders(ownerIds)})
     ORDER BY ${order}`,
    ownerIds,
    { transaction },
  );
  return groupByOwner<T>(rows);
}

/** Replaces all rows of a record. */
export async function replaceRows(
  database: Database,
  { table, owner }: OwnedRows,
  ownerId: number,
  rows: readonly Readonly<Record<string, SqlValue>>[],
  transaction: Transaction,
): Promise<void> {
  await database.execute(`DELETE FROM ${table} WHERE ${owner} = ?`, [ownerId], { transaction });
  const owned = rows.map((row) => ({ [owner]: ownerId, ...row }));
  await insertRows(database, table, owned, transaction);
}

/** Ids of the records that a record is joined to, in order. */
export async function joinedIds(
  database: Database,
  { table, owner, key }: JoinRows,
  ownerId: number,
  transaction: Transaction,
): Promise<number[]> {
  const sql = `SELECT ${key} AS id FROM ${table} WHERE ${owner} = ? ORDER BY ${key}`;
  const rows = await database.select<{ id: number }>(sql, [ownerId], { transaction });
  return rows.map(({ id }) => id);
}

interface JoinedOptions<Only> {
  readonly only: readonly Only[];
  /** SQL using the record's alias. */
  readonly order: string;
  /** Maximum per owner. */
  readonly limit?: number;
  readonly transaction?: Transaction | undefined;
}

interface Owned {
  readonly ownerId: number;
}

/** The records that each owner is joined to, by the owner's id, in one query; owners without any are absent. */
export async function findJoined<C extends Fields, Only extends keyof ShownRow<C> & string>(
  database: Database,
  { table, owner, key }: JoinRows,
  record: RecordTable<C>,
  ownerIds: readonly number[],
  { only, order, limit, transaction }: JoinedOptions<Only>,
): Promise<Map<number, Pick<ShownRow<C>, Only>[]>> {
  if (ownerIds.length === 0) return new Map();
  const { alias, columns, decode } = record;
  const selected = only.map((field) => `${columns[field]} AS \`${field}\``).join(', ');
  const joined = `FROM ${table} join_row JOIN ${record.table} ${alias} ON ${alias}.id = join_row.${key}
    WHERE join_row.${owner} IN (${placeholders(ownerIds)})`;
  const place = `ROW_NUMBER() OVER (PARTITION BY join_row.${owner} ORDER BY ${order}) AS place`;
  const sql =
    limit === undefined
      ? `SELECT join_row.${owner} AS ownerId, ${selected} ${joined} ORDER BY ${order}`
      : `SELECT ownerId, ${only.map((field) => `\`${field}\``).join(', ')}
         FROM (SELECT join_row.${owner} AS ownerId, ${selected}, ${place} ${joined}) ranked
         WHERE place <= ${limit} ORDER BY place`;
  const rows = await database.select<Pick<ShownRow<C>, Only> & Owned>(sql, ownerIds, { decode, transaction });
  return groupByOwner<Pick<ShownRow<C>, Only>>(rows);
}

function groupByOwner<T>(rows: readonly (T & Owned)[]): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const { ownerId, ...row } of rows) {
    const known = found.get(ownerId);
    if (known) known.push(row as T);
    else found.set(ownerId, [row as T]);
  }
  return found;
}

/**
 * The subquery of a list filter on joined records.
 * @param target table of the joined records with its alias
 * @param ownerColumn of the list, with its alias
 */
export function selectJoined({ table, owner, key }: JoinRows, target: string, ownerColumn: string): string {
  const alias = target.split(' ').at(-1);
  return `SELECT 1 FROM ${table} join_row JOIN ${target} ON ${alias}.id = join_row.${key} WHERE join_row.${owner} = ${ownerColumn}`;
}

/** The subquery of a list filter on the columns of owned rows, whose alias is `owned`. @param ownerColumn with its alias */
export function selectOwned({ table, owner }: OwnedRows, ownerColumn: string): string {
  return `SELECT 1 FROM ${table} owned WHERE owned.${owner} = ${ownerColumn}`;
}

/** Removes some joins of a record and adds others. */
export async function changeJoinRows(
  database: Database,
  { table, owner, key }: JoinRows,
  ownerId: number,
  { added = [], removed = [] }: { readonly added?: readonly number[]; readonly removed?: readonly number[] },
  transaction: Transaction,
): Promise<void> {
  for (const ids of batches(removed)) {
    const sql = `DELETE FROM ${table} WHERE ${owner} = ? AND ${key} IN (${placeholders(ids)})`;
    await database.execute(sql, [ownerId, ...ids], { transaction });
  }
  const rows = added.map((id) => ({ [owner]: ownerId, [key]: id }));
  await insertRows(database, table, rows, transaction);
}

/** @param rows all with the same columns */
async function insertRows(
  database: Database,
  table: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
  transaction: Transaction,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  for (const batch of batches(rows)) {
    const tuples = batch.map(() => `(${placeholders(columns)})`).join(', ');
    const values = batch.flatMap((row) => Object.values(row));
    await database.execute(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples}`, values, { transaction });
  }
}

function batches<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / BATCH);
  return Array.from({ length: count }, (_, index) => rows.slice(index * BATCH, (index + 1) * BATCH));
}
