import { types } from 'node:util';
import type { SqliteValue } from './provider.js';

/** A date as Sequelize stores it on SQLite, so that both paths write values that compare as text. */
function formatSqliteDate(date: Date): string {
  return `${date.toISOString().replace('T', ' ').replace('Z', '')} +00:00`;
}

function toSqliteValue(value: unknown): SqliteValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return formatSqliteDate(value);
  // The driver ends a text at its first NUL: `header\0x` would find `header`. No stored text has the replacement for it.
  if (typeof value === 'string' && value.includes('\0')) return value.replaceAll('\0', '\ufffd');
  return value as SqliteValue;
}

/** Arrays become positional values, objects (Sequelize's `$1`, `$name`) one named set. */
export function toSqliteParameters(parameters: unknown): SqliteValue[] {
  if (!parameters) return [];
  if (Array.isArray(parameters)) return parameters.map(toSqliteValue);
  const named: Record<string, unknown> = {};
  const entries = Object.entries(parameters);
  for (const [name, value] of entries) named[name] = toSqliteValue(value);
  return entries.length === 0 ? [] : [named];
}

/** Integers as numbers while exact, as text beyond (like mysql2 with supportBigNumbers); blobs as Buffers. In place. */
export function normaliseRows(rows: Record<string, unknown>[]): Record<string, unknown>[] {
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (typeof value === 'bigint') row[name] = toExactNumber(value);
      else if (types.isUint8Array(value) && !Buffer.isBuffer(value)) row[name] = Buffer.from(value);
    }
  }
  return rows;
}

export function toExactNumber(value: number | bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
