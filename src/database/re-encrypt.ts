import type { Encrypter } from '../core/index.js';
import type { Database } from './database.js';
import type { Dialect } from './driver.js';

const BATCH = 500;

/** A column of encrypted values. Each is bound to `table:row:column`, so that it cannot be decrypted elsewhere (S71). */
export interface EncryptedColumn {
  readonly table: string;
  /** Unique column that identifies the row. */
  readonly key: string;
  readonly column: string;
  /** Member of the JSON object in the column that holds the value; by default the column holds it. */
  readonly member?: string;
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

interface EncryptedRow {
  readonly id: number | string;
  readonly ciphertext: string;
  readonly [column: string]: unknown;
}

/** Re-encrypts values of earlier keys with the newest one. Safe while portals are serving, and to repeat. */
export async function reEncryptColumn(
  database: Database,
  encrypter: Encrypter,
  encrypted: EncryptedColumn,
): Promise<ReEncryptReport> {
  const { table, key, column, member } = encrypted;
  const report = { table, column, examined: 0, resealed: 0, unreadable: 0 };
  const select = selectEncrypted(encrypted, database.dialect);
  const value = valueOf(encrypted, database.dialect);
  for (let last: number | string | null = null; ;) {
    const rows: EncryptedRow[] = await database.select<EncryptedRow>(
      `${select}${last === null ? '' : ` AND ${key} > ?`} ORDER BY ${key} LIMIT ${BATCH}`,
      last === null ? [] : [last],
    );
    for (const row of rows) {
      const { id, ciphertext } = row;
      report.examined += 1;
      if (encrypter.isCurrent(ciphertext)) continue;
      const plain = decryptRow(encrypter, encrypted, row);
      if (plain === null) {
        report.unreadable += 1;
        continue;
      }
      const renewed = encrypter.encrypt(plain, contextOf(encrypted, row));
      // The old value in the condition: anything written meanwhile already uses the newest key.
      const next = member === undefined ? '?' : `JSON_SET(${column}, '$.${member}', ?)`;
      const sql = `UPDATE ${table} SET ${column} = ${next} WHERE ${key} = ? AND ${value} = ?`;
      report.resealed += (await database.execute(sql, [renewed, id, ciphertext])).affectedRows;
    }
    if (rows.length < BATCH) return report;
    last = rows.at(-1)?.id ?? null;
  }
}

/** Selects rows with an encrypted value; append `AND` or `ORDER BY`. */
function selectEncrypted(encrypted: EncryptedColumn, dialect: Dialect): string {
  const { table, key, where, sealedAs } = encrypted;
  const value = valueOf(encrypted, dialect);
  const columns = [...(sealedAs?.row ?? [key]), `${key} AS id`, `${value} AS ciphertext`].join(', ');
  // MariaDB reads the null of a JSON as the word.
  const condition = `${value} IS NOT NULL AND ${value} NOT IN ('', 'null')${where === undefined ? '' : ` AND ${where}`}`;
  return `SELECT ${columns} FROM ${table} WHERE ${condition}`;
}

function valueOf({ column, member }: EncryptedColumn, dialect: Dialect): string {
  if (member === undefined) return column;
  const extracted = `JSON_EXTRACT(${column}, '$.${member}')`;
  return dialect === 'sqlite' ? extracted : `JSON_UNQUOTE(${extracted})`;
}

/** @returns null when no key decrypts it */
function decryptRow(encrypter: Encrypter, column: EncryptedColumn, row: EncryptedRow): string | null {
  try {
    return encrypter.decrypt(row.ciphertext, contextOf(column, row));
  } catch {
    return null;
  }
}

function contextOf(
  { table, key, column, member, sealedAs = { row: [key], column: member ?? column } }: EncryptedColumn,
  row: EncryptedRow,
): string {
  return [table, ...sealedAs.row.map((name) => row[name]), sealedAs.column].join(':');
}

/** Number of oldest and of newest rows. */
const MOST = 10;

/** Which keys a sample of a column's encrypted values was written with. */
export interface EncryptedSample {
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
  encrypted: EncryptedColumn,
): Promise<EncryptedSample> {
  const { table, key, column } = encrypted;
  const rows = new Map<EncryptedRow['id'], EncryptedRow>();
  for (const direction of ['ASC', 'DESC']) {
    const sql = `${selectEncrypted(encrypted, database.dialect)} ORDER BY ${key} ${direction} LIMIT ${MOST}`;
    for (const row of await database.select<EncryptedRow>(sql)) rows.set(row.id, row);
  }
  const sample = [...rows.values()];
  const unreadable = sample.filter((row) => decryptRow(encrypter, encrypted, row) === null);
  const earlier = sample.filter((row) => !unreadable.includes(row) && !encrypter.isCurrent(row.ciphertext));
  return { table, column, examined: sample.length, earlier: earlier.length, unreadable: unreadable.length };
}
