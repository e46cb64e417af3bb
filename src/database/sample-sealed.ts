import type { Encrypter } from '../core/index.js';
import type { Database } from './database.js';
import { openSealed, selectSealed, type SealedColumn, type SealedRow } from './re-encrypt.js';

/** Of the oldest and of the newest rows. */
const MOST = 10;

/** What some encrypted values of a column say about the keys. */
export interface SealedSample {
  readonly table: string;
  readonly column: string;
  readonly examined: number;
  /** Written with an earlier key. */
  readonly earlier: number;
  /** Not opened by any key. */
  readonly unreadable: number;
}

/** Looks at a few encrypted values, the oldest and the newest, and changes nothing. */
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
