import { rmSync } from 'node:fs';
import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveConfig, type ConfigInput } from '../../src/config/index.js';
import { ConfigurationError } from '../../src/core/index.js';
import { shippedDrivers } from '../../src/shipped-drivers.js';

export const KEY = 'base64:JHnaZ5mLdl/C21dkXGYxv/WvmZrpRH40Y9v3XZRbsVI=';
export const JWT_SECRET = 'qP7mXv2LkTz9RdWnY4HsGf8JbCe6UaVo1iNxQw5E';

/** The least that a valid configuration needs, outside production. */
export const SECRETS = { APP_KEY: KEY, PORTAL_API_JWT_SECRET: JWT_SECRET };

export const PRODUCTION = { ...SECRETS, APP_ENV: 'production', APP_URL: 'https://portal.example.com' };

const drivers = await shippedDrivers();

export function resolve(definition: unknown, env: ConfigInput['env'] = {}, more: ConfigInput = {}) {
  return resolveConfig({ definition, drivers, env: { APP_ENV: 'development', ...SECRETS, ...env }, ...more });
}

/** The faults that the call ends with; none when it succeeds. */
export async function faultsOf(run: () => unknown): Promise<readonly string[]> {
  try {
    await run();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

/** Of one test file: this module, and so a hook of its own, is there once for all files of a process. */
let made: { readonly file: string | undefined; readonly folders: string[] } = { file: undefined, folders: [] };
const clear = () => made.folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
process.once('exit', clear);

/** A folder of its own with these files, path → text; gone when a later test file asks for one, or with the process. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const file = expect.getState().testPath;
  if (made.file !== file) {
    clear();
    made = { file, folders: [] };
  }
  const root = await mkdtemp(join(tmpdir(), 'portalkit-'));
  made.folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}
