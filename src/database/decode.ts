import type { RawRow } from './driver.js';

export type Decoder = 'date' | 'json' | 'boolean';

/** Column of the result → what its raw value stands for. */
export type Decode = Readonly<Record<string, Decoder>>;

/**
 * Makes rows of both dialects equal, in place: raw, a date is the text that the database stores, JSON is text and a
 * boolean is 0 or 1. Null stays null.
 */
export function decodeRows(rows: RawRow[], decode: Decode | undefined): RawRow[] {
  if (!decode) return rows;
  const columns = Object.entries(decode);
  for (const row of rows) {
    for (const [name, decoder] of columns) {
      const value = row[name];
      if (value !== null && value !== undefined) row[name] = decodeValue(value, decoder);
    }
  }
  return rows;
}

function decodeValue(value: unknown, decoder: Decoder): unknown {
  switch (decoder) {
    case 'date':
      return parseStoredDate(String(value));
    case 'json':
      return typeof value === 'string' ? JSON.parse(value) : value;
    case 'boolean':
      return Boolean(value);
  }
}

// `2026-11-21 10:11:12.345`, on SQLite followed by ` +00:00`; always UTC, whatever the zone of the process.
function parseStoredDate(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
}
