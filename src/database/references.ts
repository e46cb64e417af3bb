import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import type { JoinRows } from './owned-rows.js';
import { anyOf, sqlOf } from './record-condition.js';

/** A table of records that inputs refer to. */
export interface NamedTable {
  readonly table: string;
  /** Column that inputs refer to. */
  readonly name: string;
}

export interface NamedRow {
  readonly id: number;
  readonly name: string;
}

/** The records with one of these ids or names, by name. The database compares names. */
export async function findByReference(
  database: Database,
  { table, name }: NamedTable,
  references: readonly (string | number)[],
  transaction?: Transaction,
): Promise<NamedRow[]> {
  const ids = references.filter((reference) => typeof reference === 'number');
  const names = references.filter((reference) => typeof reference === 'string');
  if (references.length === 0) return [];
  const { sql, values } = anyOf([sqlOf('id', ids), sqlOf(name, names)]);
  const found = `SELECT id, ${name} AS name FROM ${table} WHERE ${sql} ORDER BY ${name}`;
  return database.select<NamedRow>(found, values, { transaction });
}

/** Id and name of the records that a record is linked to. */
export function findJoinedNames(
  database: Database,
  { table, owner, key }: JoinRows,
  target: NamedTable,
  ownerId: number,
  transaction: Transaction,
): Promise<NamedRow[]> {
  return database.select<NamedRow>(
    `SELECT t.id AS id, t.${target.name} AS name FROM ${table} l JOIN ${target.table} t ON t.id = l.${key} WHERE l.${owner} = ?`,
    [ownerId],
    { transaction },
  );
}
