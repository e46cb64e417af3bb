import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import type { SqlValue } from './driver.js';

/** Dependent rows: parts of a record, or links between two. Names come from our code. */
export interface OwnedRows {
  readonly table: string;
  /** Column with the id of the owning record. */
  readonly owner: string;
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
  for (const row of rows) await insertRow(database, table, { [owner]: ownerId, ...row }, transaction);
}

/** Rows of a join table; each `key` occurs once per owner. */
export interface LinkRows extends OwnedRows {
  /** Column with the id of the linked record. */
  readonly key: string;
}

/** Removes some links of a record and adds others. */
export async function changeLinks(
  database: Database,
  { table, owner, key }: LinkRows,
  ownerId: number,
  { added = [], removed = [] }: { readonly added?: readonly number[]; readonly removed?: readonly number[] },
  transaction: Transaction,
): Promise<void> {
  for (const id of removed) {
    await database.execute(`DELETE FROM ${table} WHERE ${owner} = ? AND ${key} = ?`, [ownerId, id], { transaction });
  }
  for (const id of added) await insertRow(database, table, { [owner]: ownerId, [key]: id }, transaction);
}

async function insertRow(
  database: Database,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  transaction: Transaction,
): Promise<void> {
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  await database.execute(sql, Object.values(row), { transaction });
}
