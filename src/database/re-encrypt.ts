import type { Encrypter } from '../core/index.js';
import type { Database } from './database.js';

const BATCH = 500;

/** A column of encrypted values. Each is bound to `table:row:column`, so that it cannot be decrypted elsewhere (S71). */
export interface SealedColumn {
  readonly table: string;
  /** Unique column that identifies the row. */
  readonly key: string;
  readonly column: string;
  /** Selects the encrypted rows when others hold plain values: `type = 'secret'`. */
  readonly where?: string;
  /** Set when the value is bound to other names than the key and the column, because it moves between rows or columns. */
  readonly sealedAs?: { readonly row: readonly string[]; readonly column: string };
}

export interface ReEncryptReport {
  readonly table: string;
  readonly column: string;
  /** Rows with an encrypted value. */
  readonly examined: number;
  readonly resealed: number;
  /** Rows that no known key decrypts; they stay unchanged. */
  readonly unreadable: number;
}

interface SealedRow {
  readonly id: number | string;
  readonly sealed: string;
  readonly [column: string]: unknown;
}

/** Re-encrypts values of earlier keys with the newest one. Safe while portals are serving, and to repeat. */
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
      // The old value in the condition: anything written meanwhile already uses the newest key.
      const sql = `UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`;
      report.resealed += (await database.execute(sql, [renewed, id, sealed])).affectedRows;
    }
    if (rows.length < BATCH) return report;
    last = rows.at(-1)?.id ?? null;
  }
}

/** Selects rows with an encrypted value; append `AND` or `ORDER BY`. */
function selectSealed({ table, key, column, where, sealedAs }: SealedColumn): string {
  const columns = [...(sealedAs?.row ?? [key]), `${key} AS id`, `${column} AS sealed`].join(', ');
  const condition = `${column} IS NOT NULL AND ${column} <> ''${where === undefined ? '' : ` AND ${where}`}`;
  return `SELECT ${columns} FROM ${table} WHERE ${condition}`;
}

/** @returns null when no key decrypts it */
function openSealed(encrypter: Encrypter, column: SealedColumn, row: SealedRow): string | null {
  try {
    return encrypter.decrypt(row.sealed, contextOf(column, row));
  } catch {
    return null;
  }
}

function contextOf({ table, key, column, sealedAs = { row: [key], column } }: SealedColumn, row: SealedRow): string {
  return [table, ...sealedAs.row.map((name) => row[name]), sealedAs.column].join(':');
}

/** Number of oldest and of newest rows. */
const MOST = 10;

/** Which keys a sample of a column's encrypted values was written with. */
export interface SealedSample {
  readonly table: string;
  readonly column: string;
  readonly examined: number;
  /** Encrypted with an earlier key. */
  readonly earlier: number;
  /** No key decrypts them. */
  readonly unreadable: number;
}

/** Samples the oldest and the newest encrypted values; changes nothing. */
export async function sampleColumn(
  database: Database,
  encrypter: Encrypter,
  sealed: SealedColumn,
): Promise<SealedSample> {
  const { table, key, column } = sealed;
  const rows = new Map<SealedRow['id'], SealedRow>();
  for (const direction of ['ASC', 'DESC']) {
    const sql = `${selectSealed(sealed)} ORDER BY ${key} ${direction} LIMIT ${MOST}`;
    for (const row of await database.select<SealedRow>(sql)) rows.set(row.id, row);
  }
  const sample = [...rows.values()];
  const unreadable = sample.filter((row) => openSealed(encrypter, sealed, row) === null);
  const earlier = sample.filter((row) => !unreadable.includes(row) && !encrypter.isCurrent(row.sealed));
  return { table, column, examined: sample.length, earlier: earlier.length, unreadable: unreadable.length };
}
