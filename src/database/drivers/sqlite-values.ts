import { types } from 'node:util';
import type { SqliteValue } from './sqlite-provider.js';

/** A date in Sequelize's SQLite format, so that both paths write values that compare as text. */
function formatSqliteDate(date: Date): string {
  return `${date.toISOString().replace('T', ' ').replace('Z', '')} +00:00`;
}

function toSqliteValue(value: unknown): SqliteValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (types.isDate(value)) return formatSqliteDate(value);
  // The driver cuts text at its first NUL: `header\0x` would find `header`. No stored text contains the replacement.
  if (typeof value === 'string' && value.includes('\0')) return value.replaceAll('\0', '\ufffd');
  return value as SqliteValue;
}

/** Arrays become positional values, objects (Sequelize's `$1`, `$name`) one set of named values. */
export function toSqliteParameters(parameters: unknown): SqliteValue[] {
  if (!parameters) return [];
  if (Array.isArray(parameters)) return parameters.map(toSqliteValue);
  const named: Record<string, unknown> = {};
  const entries = Object.entries(parameters);
  for (const [name, value] of entries) named[name] = toSqliteValue(value);
  return entries.length === 0 ? [] : [named];
}

/**
 * Rows as objects: integers as numbers while exact, as text beyond (like mysql2 with supportBigNumbers); blobs as
 * Buffers. Not the driver's own objects: they have no prototype, and V8 keeps those as hash tables that are slow to
 * copy.
 */
export function toObjects(rows: readonly unknown[][], names: readonly string[]): Record<string, unknown>[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    names.forEach((name, index) => {
      object[name] = normaliseValue(row[index]);
    });
    return object;
  });
}

function normaliseValue(value: unknown): unknown {
  if (typeof value === 'bigint') return toExactNumber(value);
  return typeof value === 'object' && types.isUint8Array(value) ? asBuffer(value) : value;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}

export function toExactNumber(value: number | bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
