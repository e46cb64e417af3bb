import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's own `package.json`, as far as the program reads it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as Manifest;
}

/** Root of the package, with `templates/`. Looked for upwards: the build of the tests lies a folder deeper. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
