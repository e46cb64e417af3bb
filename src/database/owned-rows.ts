import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import type { SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';
import type { Fields, ShownRow } from './record-field.js';
import type { RecordTable } from './record.js';

/** Rows per statement, below the number of values that SQLite takes. */
const BATCH = 500;

/** Dependent rows: parts of a record, or links between two. Names come from our code. */
export interface OwnedRows {
  readonly table: string;
  /** Column with the id of the owning record. */
  readonly owner: string;
}

/** Rows of a join table; each `key` occurs once per owner. */
export interface LinkRows extends OwnedRows {
  /** Column with the id of the linked record. */
  readonly key: string;
}

export async function countRows(
  database: Database,
  { table, owner }: OwnedRows,
  ownerId: number,
  transaction: Transaction,
): Promise<number> {
  const sql = `SELECT COUNT(*) AS total FROM ${table} WHERE ${owner} = ?`;
  const [row] = await database.select<{ total: number }>(sql, [ownerId], { transaction });
  return Number(row?.total);
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

/** Ids of the records that a record is linked to, in order. */
export async function linkedIds(
  database: Database,
  { table, owner, key }: LinkRows,
  ownerId: number,
  transaction: Transaction,
): Promise<number[]> {
  const sql = `SELECT ${key} AS id FROM ${table} WHERE ${owner} = ? ORDER BY ${key}`;
  const rows = await database.select<{ id: number }>(sql, [ownerId], { transaction });
  return rows.map(({ id }) => id);
}

interface LinkedOptions<Only> {
  readonly only: readonly Only[];
  /** SQL using the record's alias. */
  readonly order: string;
  readonly transaction?: Transaction | undefined;
}

/** The records that each owner is linked to, by the owner's id, in one query; owners without any are absent. */
export async function findLinked<C extends Fields, Only extends keyof ShownRow<C> & string>(
  database: Database,
  { table, owner, key }: LinkRows,
  record: RecordTable<C>,
  ownerIds: readonly number[],
  { only, order, transaction }: LinkedOptions<Only>,
): Promise<Map<number, Pick<ShownRow<C>, Only>[]>> {
  const found = new Map<number, Pick<ShownRow<C>, Only>[]>();
  if (ownerIds.length === 0) return found;
  const { alias, columns, decode } = record;
  const rows = await database.select<Pick<ShownRow<C>, Only> & { readonly linkOwner: number }>(
    `SELECT link.${owner} AS linkOwner, ${only.map((field) => `${columns[field]} AS \`${field}\``).join(', ')}
     FROM ${table} link JOIN ${record.table} ${alias} ON ${alias}.id = link.${key}
     WHERE link.${owner} IN (${placeholders(ownerIds)}) ORDER BY ${order}`,
    ownerIds,
    { decode, transaction },
  );
  for (const { linkOwner, ...linked } of rows) {
    const known = found.get(linkOwner);
    if (known) known.push(linked as unknown as Pick<ShownRow<C>, Only>);
    else found.set(linkOwner, [linked as unknown as Pick<ShownRow<C>, Only>]);
  }
  return found;
}

/**
 * The subquery of a list filter on linked records.
 * @param target table of the linked records with its alias
 * @param ownerColumn of the list, with its alias
 */
export function throughLinks({ table, owner, key }: LinkRows, target: string, ownerColumn: string): string {
  const alias = target.split(' ').at(-1);
  return `SELECT 1 FROM ${table} link JOIN ${target} ON ${alias}.id = link.${key} WHERE link.${owner} = ${ownerColumn}`;
}

/** Removes some links of a record and adds others. */
export async function changeLinks(
  database: Database,
  { table, owner, key }: LinkRows,
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
