import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Finds the CLI of the portalkit installed in the host project, unless it is the one running. Host code imports its own
 * copy, and classes of two copies do not match.
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

// Resolves like Node: the nearest node_modules upwards that has the package, as in a workspace.
function installedFolder(from: string): string | undefined {
  const folder = join(from, 'node_modules', 'portalkit');
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : installedFolder(dirname(from));
}
