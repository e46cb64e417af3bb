import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandFailedError } from '../errors.js';

/** Folder in a host project for the package while it is not in a registry. */
const VENDOR = 'vendor';

/** How the running package was installed, which decides what a new project depends on. */
export type PackageSource =
  /** This version is in a registry. */
  | { readonly kind: 'released' }
  /** It was installed from this tarball. */
  | { readonly kind: 'tarball'; readonly file: string }
  /** A checkout, or an install of unknown origin: only its files are available. */
  | { readonly kind: 'folder' };

/**
 * `released` only when the installer recorded a download from a registry; everything else is packed, which always
 * works, also offline.
 * @param folder root of the running package
 */
export async function findPackageSource(folder: string, { name, version }: PackageId): Promise<PackageSource> {
  const home = realpathSync(folder);
  if (basename(dirname(home)) !== 'node_modules') return { kind: 'folder' };
  // pnpm stores packages from a registry under name@version, all others under name@file+… or similar.
  if (home.includes(`${sep}.pnpm${sep}${name}@${version}${sep}`)) return { kind: 'released' };
  const entry = await npmRecord(dirname(home), name);
  if (entry === undefined || entry.link === true || entry.inBundle === true) return { kind: 'folder' };
  const { resolved, integrity } = entry;
  // With omit-lockfile-registry-resolved npm omits the address, but only for packages from a registry.
  const isFetched = resolved === undefined ? integrity !== undefined : /^https?:/.test(resolved);
  if (isFetched) return { kind: 'released' };
  // Paths are relative to the folder that holds node_modules.
  const file = resolve(dirname(home), '..', (resolved ?? '').replace(/^file:/, ''));
  return file.endsWith('.tgz') && existsSync(file) ? { kind: 'tarball', file } : { kind: 'folder' };
}

interface NpmRecord {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
}

// npm keeps a lockfile of what is actually installed in node_modules.
async function npmRecord(modules: string, name: string): Promise<NpmRecord | undefined> {
  try {
    const text = await readFile(join(modules, '.package-lock.json'), 'utf8');
    const lock = JSON.parse(text) as { packages?: Record<string, NpmRecord | undefined> };
    return lock.packages?.[`node_modules/${name}`];
  } catch {
    return undefined;
  }
}

interface PackageId {
  readonly name: string;
  readonly version: string;
}

export interface Dependency {
  /** The version for `package.json`. */
  readonly spec: string;
  /** Path in the project of the tarball that `spec` refers to, if any. */
  readonly tarball?: string;
  /** Creates the tarball. @throws CommandFailedError when npm cannot pack it */
  place?(project: string): Promise<void>;
}

/** @param link depend on the folder itself, for developing the package */
export function dependencyOn(source: PackageSource, folder: string, id: PackageId, link: boolean): Dependency {
  if (link) return { spec: `file:${folder}` };
  if (source.kind === 'released') return { spec: `^${id.version}` };
  const tarball = `${VENDOR}/${id.name}-${id.version}.tgz`;
  const place = async (project: string) => {
    const target = join(project, tarball);
    await mkdir(dirname(target), { recursive: true });
    if (source.kind === 'tarball') await copyFile(source.file, target);
    else await pack(folder, target);
  };
  return { spec: `file:${tarball}`, tarball, place };
}

// Packs into a temporary folder first: npm chooses the name, and no half-written tarball may appear at the target.
async function pack(folder: string, target: string): Promise<void> {
  const { execa } = await import('execa');
  const temporary = `${target}.${process.pid}`;
  await mkdir(temporary, { recursive: true });
  try {
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', temporary];
    const { stdout } = await execa('npm', args, { cwd: folder });
    const [packed] = JSON.parse(stdout) as [{ filename: string }];
    await rename(join(temporary, packed.filename), target);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new CommandFailedError(
      `The package in ${folder} could not be packed: ${reason}`,
      'check that npm runs there',
      {
        cause: error,
      },
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
