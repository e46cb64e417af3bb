import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandFailedError } from '../errors.js';

/** Folder of a host project that holds the package while it is not in a registry. */
const VENDOR = 'vendor';

/** Where the package that is running came from, and so what a new project can depend on. */
export type PackageSource =
  /** A registry has this version. */
  | { readonly kind: 'released' }
  /** It was installed from this tarball. */
  | { readonly kind: 'tarball'; readonly file: string }
  /** A checkout, or installed in a way that does not tell: its files are all there is. */
  | { readonly kind: 'folder' };

/**
 * Released is only what the installer itself wrote down as fetched from a registry; everything else is packed, which is
 * right in every case and works offline.
 * @param folder root of the package that runs
 */
export async function findPackageSource(folder: string, { name, version }: PackageId): Promise<PackageSource> {
  const home = realpathSync(folder);
  if (basename(dirname(home)) !== 'node_modules') return { kind: 'folder' };
  // pnpm keeps what a registry gave under name@version, and everything else under name@file+… or the like.
  if (home.includes(`${sep}.pnpm${sep}${name}@${version}${sep}`)) return { kind: 'released' };
  const entry = await npmRecord(dirname(home), name);
  if (entry === undefined || entry.link === true || entry.inBundle === true) return { kind: 'folder' };
  const { resolved, integrity } = entry;
  // npm leaves the address out under omit-lockfile-registry-resolved, but only those of a registry.
  const isFetched = resolved === undefined ? integrity !== undefined : /^https?:/.test(resolved);
  if (isFetched) return { kind: 'released' };
  // Paths count from the folder that holds node_modules.
  const file = resolve(dirname(home), '..', (resolved ?? '').replace(/^file:/, ''));
  return file.endsWith('.tgz') && existsSync(file) ? { kind: 'tarball', file } : { kind: 'folder' };
}

interface NpmRecord {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
}

// npm writes the lockfile of what is really installed into node_modules.
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
  /** What `package.json` says. */
  readonly spec: string;
  /** Path below the project of the tarball that `spec` needs, when it needs one. */
  readonly tarball?: string;
  /** Puts the tarball there. @throws CommandFailedError when npm cannot pack it */
  place?(project: string): Promise<void>;
}

/** @param link depend on the folder itself, for those who work on the package */
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

// Into a folder of its own first: npm chooses the name, and a half-written tarball must never stand at the right place.
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
