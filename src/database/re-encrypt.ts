import type { Encrypter } from '../core/index.js';
import type { Database } from './database.js';

const BATCH = 500;

/** Where encrypted values are stored. Each is sealed for `table:row:column`, so that it opens nowhere else (S71). */
export interface SealedColumn {
  readonly table: string;
  /** Unique column that names the row. */
  readonly key: string;
  readonly column: string;
  /** Which rows hold one, when others hold plain values: `type = 'secret'`. */
  readonly where?: string;
  /** When the value is sealed under other names than the key and the column, because it moves between rows or columns. */
  readonly sealedAs?: { readonly row: readonly string[]; readonly column: string };
}

export interface ReEncryptReport {
  readonly table: string;
  readonly column: string;
  /** Rows that hold an encrypted value. */
  readonly examined: number;
  readonly resealed: number;
  /** Rows that none of the known keys opens; they stay as they are. */
  readonly unreadable: number;
}

export interface SealedRow {
  readonly id: number | string;
  readonly sealed: string;
  readonly [column: string]: unknown;
}

/** Encrypts with the newest key what an earlier one encrypted. May run beside a serving portal, and again at any time. */
export async function reEncryptColumn(
  database: Database,
  encrypter: Encrypter,
  sealedColumn: SealedColumn,
): Promise<ReEncryptReport> {
  const { table, key, column } = sealedColumn;
  const report = { table, column, examined: 0, resealed: 0, unreadable: 0 };
  const select = selectSealed(sealedColumn);
  for (let last: number | string | null = null; ;) {
    const rows: SealedRow[] = await database.select<SealedRow>(
      `${select}${last === null ? '' : ` AND ${key} > ?`} ORDER BY ${key} LIMIT ${BATCH}`,
      last === null ? [] : [last],
    );
    for (const row of rows) {
      const { id, sealed } = row;
      report.examined += 1;
      if (encrypter.isCurrent(sealed)) continue;
      const plain = openSealed(encrypter, sealedColumn, row);
      if (plain === null) {
        report.unreadable += 1;
        continue;
      }
      const renewed = encrypter.encrypt(plain, contextOf(sealedColumn, row));
      // What was written meanwhile is sealed with the newest key already.
      const sql = `UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`;
      report.resealed += (await database.execute(sql, [renewed, id, sealed])).affectedRows;
    }
    if (rows.length < BATCH) return report;
    last = rows.at(-1)?.id ?? null;
  }
}

/** Rows that hold an encrypted value; what follows goes on with `AND` or `ORDER BY`. */
export function selectSealed({ table, key, column, where, sealedAs }: SealedColumn): string {
  const columns = [...(sealedAs?.row ?? [key]), `${key} AS id`, `${column} AS sealed`].join(', ');
  const condition = `${column} IS NOT NULL AND ${column} <> ''${where === undefined ? '' : ` AND ${where}`}`;
  return `SELECT ${columns} FROM ${table} WHERE ${condition}`;
}

/** @returns null for what none of the keys opens */
export function openSealed(encrypter: Encrypter, column: SealedColumn, row: SealedRow): string | null {
  try {
    return encrypter.decrypt(row.sealed, contextOf(column, row));
  } catch {
    return null;
  }
}

function contextOf({ table, key, column, sealedAs = { row: [key], column } }: SealedColumn, row: SealedRow): string {
  return [table, ...sealedAs.row.map((name) => row[name]), sealedAs.column].join(':');
}
