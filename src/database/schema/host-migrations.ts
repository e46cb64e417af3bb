import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../core/index.js';
import type { Migration } from '../migration.js';
import type { NamedMigration } from './package-migrations.js';

const FOLDER = 'migrations';
const MODULE = /(?<!\.d)\.[cm]?[jt]s$/;
const NAMED = /^(\d{14}-[a-z0-9]+(?:-[a-z0-9]+)*)\.(js|ts)$/;

/**
 * The migrations of a host project: `migrations/<YYYYMMDDHHMMSS>-<what-it-does>.ts`, or the compiled `.js` next to it,
 * which wins. Both have the same name, so that a project may be compiled after it was migrated.
 * @param importModule imports modules of the host
 * @throws ConfigurationError for files whose name does not define their order; skipping them would leave the schema
 * incomplete
 */
export function hostMigrations(
  root: string,
  importModule: (file: string) => Promise<Readonly<Record<string, unknown>>>,
): NamedMigration[] {
  const folder = join(root, FOLDER);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => MODULE.test(file));
  refuseUnnamed(files);
  const byName = new Map<string, string>();
  // .js sorts before .ts, and the first file of a name wins.
  for (const file of files.sort()) {
    const name = NAMED.exec(file)?.[1] ?? file;
    if (!byName.has(name)) byName.set(name, file);
  }
  return [...byName].map(([name, file]) => ({
    name,
    load: async () => readMigration(file, await importModule(join(folder, file))),
  }));
}

function refuseUnnamed(files: readonly string[]): void {
  const faults = files
    .filter((file) => !NAMED.test(file))
    .map(
      (file) =>
        `${FOLDER}/${file}: is not named like 20260131120000-add-tenant-to-users.ts. ` +
        'Fix: rename it, or move it out of the folder.',
    );
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function readMigration(file: string, { migration }: Readonly<Record<string, unknown>>): Migration {
  if (isMigration(migration)) return migration;
  throw new ConfigurationError([
    `${FOLDER}/${file}: exports no migration. Fix: write export const migration = defineMigration({ up, down }).`,
  ]);
}

function isMigration(value: unknown): value is Migration {
  if (typeof value !== 'object' || value === null) return false;
  const { up, down } = value as Partial<Migration>;
  return typeof up === 'function' && typeof down === 'function';
}
