import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Loads a package of the host project, or the copy installed with portalkit.
 * @returns undefined if it is not installed
 */
export async function loadFrom(project: string, name: string): Promise<unknown> {
  for (const from of [join(project, 'package.json'), import.meta.url]) {
    try {
      return await importFile(createRequire(from).resolve(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/** For a package in both formats, the resolver picks the older one. */
function importFile(path: string): Promise<unknown> {
  const module = path.replace(/\.cjs$/, '.mjs');
  return import(pathToFileURL(existsSync(module) ? module : path).href);
}
