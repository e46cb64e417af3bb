import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The CLI of the copy of portalkit that the host project has installed, when that is not the one that runs. Host code
 * imports its own copy, and two copies would not know each other's classes.
 * @returns a module URL, or undefined when this copy is the right one
 */
export function findHostCli(cwd: string): string | undefined {
  const folder = installedFolder(cwd);
  const cli = folder && join(folder, 'dist', 'cli', 'main.js');
  if (cli === undefined || !existsSync(cli)) return undefined;
  const own = realpathSync(fileURLToPath(new URL('./main.js', import.meta.url)));
  const host = realpathSync(cli);
  return host === own ? undefined : pathToFileURL(host).href;
}

// Node's own search: the nearest node_modules upwards that holds the package, as in a workspace.
function installedFolder(from: string): string | undefined {
  const folder = join(from, 'node_modules', 'portalkit');
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : installedFolder(dirname(from));
}
