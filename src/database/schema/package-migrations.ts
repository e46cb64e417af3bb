import { readdirSync } from 'node:fs';
import { compiledFolder } from '../../core/manifest.js';
import type { Migration } from '../migration.js';

/** A runnable migration, identified by its file name without extension: `20260101000100-create-users`. */
export interface NamedMigration {
  name: string;
  load(): Promise<Migration>;
}

const FOLDER = new URL('database/migrations/', compiledFolder);
const COMPILED = /^(\d{14}-[a-z0-9-]+)\.js$/;

/** The migrations of the package, in order. */
export function packageMigrations(): NamedMigration[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const name = COMPILED.exec(file)?.[1];
      return name ? [{ name, load: () => loadMigration(new URL(file, FOLDER).href) }] : [];
    });
}

async function loadMigration(url: string): Promise<Migration> {
  const { migration } = (await import(url)) as { migration: Migration };
  return migration;
}
