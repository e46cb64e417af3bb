import { fileURLToPath } from 'node:url';
import { importHostModule } from '../config/index.js';

/**
 * Imports a TypeScript source of the host project from a test that is plain JavaScript, with the copy of portalkit that
 * runs: `await importSource('../src/routes.ts', import.meta.url)`.
 * @throws ConfigurationError that names the line, for a file that cannot be read, parsed or run
 */
export function importSource(file: string, from: string): Promise<Readonly<Record<string, unknown>>> {
  return importHostModule(fileURLToPath(new URL(file, from)));
}
