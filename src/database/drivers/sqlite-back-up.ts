import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Database } from '../database.js';
import { loadSqlite } from './sqlite-provider.js';
import { createPrivately } from './sqlite-handle.js';

/**
 * A consistent copy of a SQLite database during writes: everything committed when it began. Copying the file would miss
 * what is still in its `-wal` (R34). The copy is verified before it is renamed to its final name, so that no partial
 * backup has that name; only its owner can read it.
 * @param file that does not exist yet
 * @returns its size in bytes
 * @throws Error when the file exists, or when the copy is damaged
 */
export async function backUpSqlite(database: Database, file: string): Promise<number> {
  if (existsSync(file)) throw new Error(`${file} exists already`);
  const part = `${file}.part`;
  await rm(part, { force: true });
  createPrivately(part);
  try {
    await database.execute('VACUUM INTO ?', [part]);
    requireIntegrity(part);
    await toDisk(part);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return (await stat(file)).size;
}

function requireIntegrity(file: string): void {
  const copy = new (loadSqlite().DatabaseSync)(file);
  try {
    const statement = copy.prepare('PRAGMA integrity_check');
    statement.setReturnArrays(true);
    const [result] = statement.all()[0] ?? [];
    if (result !== 'ok') throw new Error(`the copy is damaged, and so may be the database: ${String(result)}`);
  } finally {
    copy.close();
  }
}

async function toDisk(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
