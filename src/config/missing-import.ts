import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { findClosest } from '../core/index.js';
import { readManifest } from '../core/manifest.js';

interface ImportFailure {
  readonly message: string;
  /** Set by the TypeScript loader: the importing file, then those that led to it. */
  readonly requireStack?: unknown;
}

/**
 * Locates the import of the project that cannot be resolved: `src/routes.ts:3:24: imports './b.js', …`.
 * @param root folder of the project
 * @returns undefined for any other failure, and for a package with a missing dependency
 */
export function describeMissingImport(root: string, failure: ImportFailure): string | undefined {
  const [, wanted] = /^Cannot find (?:module|package) '([^']+)'/.exec(failure.message) ?? [];
  const importer = importerOf(failure);
  if (wanted === undefined || importer === undefined || !isOfProject(root, importer)) return undefined;
  const source = existsSync(importer) ? readFileSync(importer, 'utf8') : '';
  const found = findSpecifier(source, dirname(importer), wanted);
  const name = relative(root, importer).replaceAll('\\', '/');
  const place = found === undefined ? name : `${name}:${placeIn(source, found.index)}`;
  const specifier = found?.specifier ?? wanted;
  return `${place}: imports '${specifier}', which is not there. Fix: ${fixOf(root, dirname(importer), specifier)}`;
}

function importerOf({ message, requireStack }: ImportFailure): string | undefined {
  const [first] = Array.isArray(requireStack) ? (requireStack as unknown[]) : [];
  if (typeof first === 'string') return first;
  return / imported from (.+)$/m.exec(message)?.[1];
}

function isOfProject(root: string, file: string): boolean {
  const path = relative(root, file);
  return !path.startsWith('..') && !path.split(sep).includes('node_modules');
}

/** The specifier as written in the file: Node.js reports a path, the file has `./nope.js`. */
function findSpecifier(source: string, folder: string, wanted: string) {
  for (const match of source.matchAll(/(['"`])([^'"`\n]+)\1/g)) {
    const specifier = match[2] ?? '';
    const isIt = specifier === wanted || (specifier.startsWith('.') && resolve(folder, specifier) === wanted);
    if (isIt) return { specifier, index: match.index };
  }
  return undefined;
}

function placeIn(source: string, index: number): string {
  const before = source.slice(0, index).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

function fixOf(root: string, folder: string, specifier: string): string {
  const near = findClosest(specifier, specifier.startsWith('.') ? neighbours(folder, specifier) : packages(root));
  if (near !== undefined && near !== specifier) return `did you mean '${near}'?`;
  if (specifier.startsWith('.')) return 'write that file, or take the import away.';
  const [scope = '', name = ''] = specifier.split('/');
  return `run npm install ${scope.startsWith('@') ? `${scope}/${name}` : scope}, or take the import away.`;
}

/** Importable files of the target folder, as specifiers. */
function neighbours(folder: string, specifier: string): string[] {
  const place = dirname(resolve(folder, specifier));
  const begin = specifier.slice(0, specifier.length - basename(specifier).length);
  if (!existsSync(place)) return [];
  const files = readdirSync(place).filter((file) => /\.[cm]?[jt]s$/.test(file));
  return files.map((file) => begin + file.replace(/\.ts$/, '.js'));
}

function packages(root: string): string[] {
  const { name, exports } = readManifest();
  const own = Object.keys(exports).map((subpath) => name + subpath.slice(1));
  try {
    const host = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Record<string, object | undefined>;
    return [...own, ...Object.keys({ ...host['dependencies'], ...host['devDependencies'] })];
  } catch {
    return own;
  }
}
