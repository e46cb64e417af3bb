import type { Encrypter } from '../kernel/index.js';
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
}

export interface ResealReport {
  readonly table: string;
  readonly column: string;
  /** Rows that hold an encrypted value. */
  readonly examined: number;
  readonly resealed: number;
  /** Rows that none of the known keys opens; they stay as they are. */
  readonly unreadable: number;
}

interface Row {
  readonly id: number | string;
  readonly sealed: string;
}

/** Encrypts with the newest key what an earlier one encrypted. May run beside a serving portal, and again at any time. */
export async function resealColumn(
  database: Database,
  encrypter: Encrypter,
  { table, key, column, where }: SealedColumn,
): Promise<ResealReport> {
  const condition = `${column} IS NOT NULL${where === undefined ? '' : ` AND ${where}`}`;
  const report = { table, column, examined: 0, resealed: 0, unreadable: 0 };
  for (let last: number | string | null = null; ;) {
    const rows: Row[] = await database.select<Row & Record<string, unknown>>(
      `SELECT ${key} AS id, ${column} AS sealed FROM ${table}
        WHERE ${condition}${last === null ? '' : ` AND ${key} > ?`} ORDER BY ${key} LIMIT ${BATCH}`,
      last === null ? [] : [last],
    );
    for (const { id, sealed } of rows) {
      report.examined += 1;
      if (encrypter.isCurrent(sealed)) continue;
      const renewed = renew(encrypter, sealed, `${table}:${id}:${column}`);
      if (renewed === null) {
        report.unreadable += 1;
        continue;
      }
      // What was written meanwhile is sealed with the newest key already.
      const sql = `UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`;
      report.resealed += (await database.execute(sql, [renewed, id, sealed])).affectedRows;
    }
    if (rows.length < BATCH) return report;
    last = rows.at(-1)?.id ?? null;
  }
}

function renew(encrypter: Encrypter, sealed: string, context: string): string | null {
  try {
    return encrypter.encrypt(encrypter.decrypt(sealed, context), context);
  } catch {
    return null;
  }
}
