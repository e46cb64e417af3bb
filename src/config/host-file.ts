import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { findClosest, ConfigurationError } from '../core/index.js';
import { compiledFolder, readManifest } from '../core/manifest.js';
import { describeMissingImport } from './missing-import.js';

/** The compiled file wins: production runs what was built, without TypeScript. */
export const CONFIG_FILES = ['portal.config.js', 'portal.config.ts'] as const;

/** What a module of the host project exports. */
type HostModule = Readonly<Record<string, unknown>>;

/** The configuration file of a folder; undefined when the folder is not a host project. */
export function findConfigFile(root: string): string | undefined {
  return CONFIG_FILES.map((name) => join(root, name)).find((file) => existsSync(file));
}

/**
 * The file's default export.
 * @throws ConfigurationError with the line, for a file that cannot be read, parsed or run
 */
export async function importConfigFile(file: string): Promise<unknown> {
  try {
    const { default: definition } = await importModule(file);
    if (typeof definition === 'object' && definition !== null) return definition;
  } catch (error) {
    throw new ConfigurationError([describeFailure(file, error, dirname(file))]);
  }
  throw new ConfigurationError([
    `${basename(file)}: exports no configuration. Fix: write export default defineConfig({ … }).`,
  ]);
}

/**
 * Imports a module of the host project, TypeScript or JavaScript.
 * @param root folder of the project
 * @throws ConfigurationError with the line, for a file that cannot be read, parsed or run
 */
export async function importHostModule(file: string, root = dirname(file)): Promise<HostModule> {
  try {
    return await importModule(file);
  } catch (error) {
    throw new ConfigurationError([describeFailure(file, error, root)]);
  }
}

async function importModule(file: string): Promise<HostModule> {
  return file.endsWith('.ts') ? importTypeScript(file) : ((await import(pathToFileURL(file).href)) as HostModule);
}

/**
 * `portalkit` and its subpaths resolve to the running copy, as native modules; a second, transpiled copy would break
 * every `instanceof`.
 */
async function importTypeScript(file: string): Promise<HostModule> {
  const { createJiti } = await import('jiti');
  const fsCache = cacheFolder(dirname(file));
  const jiti = createJiti(file, { fsCache, interopDefault: false, virtualModules: ownModules() });
  return jiti.import<HostModule>(file);
}

/**
 * Cache of transpiled sources, keyed by hash: later starts need no compiler, which is most of the start time and a
 * fifth of the memory. Only inside the project's node_modules, whose writers own the code anyway; jiti's default may be
 * a world-writable folder. Skipped when the folder is not writable.
 */
function cacheFolder(from: string): string | false {
  const modules = join(from, 'node_modules');
  if (existsSync(modules)) return join(modules, '.cache', 'portalkit');
  return dirname(from) === from ? false : cacheFolder(dirname(from));
}

function ownModules(): Record<string, unknown> {
  const manifest = readManifest();
  const modules = {};
  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const module = new URL(target.default.replace(/^\.\/dist\//, ''), compiledFolder).href;
    // Getters, so that only what the file imports is loaded; jiti awaits the promise.
    const name = manifest.name + subpath.slice(1);
    Object.defineProperty(modules, name, {
      enumerable: true,
      get: async () => strict((await import(module)) as HostModule, name),
    });
  }
  return modules;
}

/** In a transpiled file, a name that the module does not export would be undefined and fail far from the import. */
function strict(module: HostModule, name: string): HostModule {
  return new Proxy(module, {
    get: (target, key) => {
      if (typeof key === 'symbol' || key in target || ['then', 'default', '__esModule'].includes(key)) {
        return Reflect.get(target, key) as unknown;
      }
      const near = findClosest(key, Object.keys(target));
      throw new ReferenceError(
        `${name} has no export ${key}.${near === undefined ? '' : ` Fix: did you mean ${near}?`}`,
      );
    },
  });
}

/**
 * `portal.config.ts:3:5: message`, without a stack. Uses `isNativeError` because a test runner's realm differs from the
 * file's.
 */
function describeFailure(file: string, error: unknown, root: string): string {
  const message = isFailure(error) ? error.message : String(error);
  const missing = isFailure(error) ? describeMissingImport(root, error) : undefined;
  if (missing !== undefined) return missing;
  const firstLine = (message.split('\n')[0] ?? '').replace(file, basename(file)).trim();
  return `${placeOf(file, error)}: ${firstLine}`;
}

// A loader may throw something that is not an Error.
function isFailure(error: unknown): error is { readonly message: string } {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}

function placeOf(file: string, error: unknown): string {
  const stack = types.isNativeError(error) ? `${error.message}\n${error.stack ?? ''}` : '';
  const root = file.slice(0, -basename(file).length);
  const place = new RegExp(`${escape(root)}([^\\s:()]+:\\d+(?::\\d+)?)`).exec(stack)?.[1];
  return (
    place ??
    (types.isNativeError(error) && error.name === 'SyntaxError' ? placeOfSyntaxError(file) : undefined) ??
    basename(file)
  );
}

// Node does not report the position of a syntax error in a native module, except with `--check`.
function placeOfSyntaxError(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const [, line, column] = new RegExp(`${escape(file)}:(\\d+)\\n.*\\n( *)\\^`).exec(stderr) ?? [];
  return line === undefined ? undefined : `${basename(file)}:${line}:${(column ?? '').length + 1}`;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
