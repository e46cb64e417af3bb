import { fileURLToPath } from 'node:url';
import { importHostModule } from '../config/index.js';

/**
 * Imports a TypeScript file of the host project from a plain JavaScript test, so that both use the same copy of portalkit:
 * `await importSource('../src/routes.ts', import.meta.url)`.
 * @throws ConfigurationError with the line, for a file that cannot be read, parsed or run
 */
export function importSource(file: string, from: string): Promise<Readonly<Record<string, unknown>>> {
  return importHostModule(fileURLToPath(new URL(file, from)));
}
