import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../core/manifest.js';

/** Recorded responses of the package's own operations: operation id → status → envelope. */
type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Placeholders in the file for the paths of this portal.
 * @internal
 */
export const EXAMPLE_PATHS = { admin: '{admin}', api: '{api}' } as const;

/**
 * Real responses as examples, from a file that a test keeps in step with the code (`test/modules/collection.test.ts`).
 */
export function readExamples({
  prefix,
  adminPrefix,
}: {
  readonly prefix: string;
  readonly adminPrefix: string;
}): Examples {
  const text = readFileSync(join(packageFolder(), 'templates', 'apidocs', 'examples.json'), 'utf8');
  return JSON.parse(
    text.replaceAll(EXAMPLE_PATHS.admin, `${prefix}/${adminPrefix}`).replaceAll(EXAMPLE_PATHS.api, prefix),
  ) as Examples;
}
