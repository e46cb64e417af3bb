import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The CLI of the copy of portalkit that the host project has installed, when that is not the one that runs. Host code
 * imports its own copy, and two copies would not know each other's classes.
 * @returns a module URL, or undefined when this copy is the right one
 */
export function findHostCli(cwd: string): string | undefined {
  try {
    const manifest = createRequire(join(cwd, 'package.json')).resolve('portalkit/package.json');
    const cli = join(dirname(realpathSync(manifest)), 'dist', 'cli', 'main.js');
    const own = realpathSync(fileURLToPath(new URL('./main.js', import.meta.url)));
    return existsSync(cli) && realpathSync(cli) !== own ? pathToFileURL(cli).href : undefined;
  } catch {
    // Not installed there: this copy is the only one.
    return undefined;
  }
}
