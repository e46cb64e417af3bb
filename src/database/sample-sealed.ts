import type { Encrypter } from '../core/index.js';
import type { Database } from './database.js';
import { openSealed, selectSealed, type SealedColumn, type SealedRow } from './re-encrypt.js';

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
