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

/**
 * Where the compiled modules lie, with a slash at its end. What several programs share is as deep below it as this file
 * (`scripts/bundle.mjs`), so that this holds there too.
 */
export const compiledFolder = new URL('../', import.meta.url);

/** Root of the package, which has `templates/`. Searched upwards, because the test build is one folder deeper. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
