import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The fields of the package's own `package.json` that the program uses. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as Manifest;
}

/** Root of the package, which has `templates/`. Searched upwards, because the test build is one folder deeper. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
