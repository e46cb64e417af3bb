import { createHash } from 'node:crypto';
import type { Column } from './column.js';

export interface TableDefinition {
  columns: Readonly<Record<string, Column>>;
  /** Required when no column is an `id`. */
  primaryKey?: readonly string[];
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
}

/** Limit of MySQL and MariaDB. */
const LONGEST_NAME = 64;

/**
 * Key names encode table and columns, so that a violation can be reported with both on either dialect:
 * `portal_apps__user_id__name_key`.
 */
export function uniqueName(table: string, columns: readonly string[]): string {
  const name = [table, ...columns].join('__');
  if (name.length > LONGEST_NAME) throw new Error(`the unique key ${name} has more than ${LONGEST_NAME} characters`);
  return name;
}

export function indexName(table: string, columns: readonly string[]): string {
  return shorten([table, ...columns, 'index'].join('__'));
}

export function foreignKeyName(table: string, columnName: string): string {
  return shorten([table, columnName, 'fk'].join('__'));
}

function shorten(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - 9)}_${digest}`;
}

/** @throws Error unless it is a plain lower-case name: migrations are code, but names may be computed */
export function quote(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new Error(`${JSON.stringify(name)} is not a name for a table or column`);
  return `\`${name}\``;
}

export function quoteList(names: readonly string[]): string {
  return names.map(quote).join(', ');
}
