import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PortalConfig } from '../config/index.js';
import { packageFolder, readManifest } from '../core/manifest.js';
import { shippedDrivers } from '../shipped-drivers.js';
import { failure, pass, warning, type Finding } from './doctor-finding.js';

/** `engines.node` of the package. */
const OLDEST_NODE = [20, 19] as const;
const OTHERS = 0o077;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (!isOld) return pass('node', `Node.js ${version}`);
  return failure('node', `Node.js ${version} is too old`, `install Node.js ${OLDEST_NODE.join('.')} or newer`);
}

/** A runtime image has its own version, whatever the project was made with. */
export function checkPackage(root: string, running = readManifest().version): Finding {
  const asked = readDependency(root);
  const found = `portalkit ${running} of ${dirname(packageFolder())}`;
  if (asked === undefined || lineOf(asked) === undefined || lineOf(asked) === lineOf(running))
    return pass('package', found);
  const fix = `run that version, or bring the project up to this one (docs/production.md, Upgrades)`;
  return warning('package', `${found}, while package.json asks for ${asked}`, fix);
}

function readDependency(root: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    return manifest.dependencies?.['portalkit'];
  } catch {
    return undefined;
  }
}

/** Versions that ^ takes for compatible: `0.16` of 0.16.2, `1` of 1.4.0; undefined for ranges that say more than one. */
function lineOf(spec: string): string | undefined {
  const [, major, minor] = /^(?:[~^=v]?|file:.*-)(\d+)\.(\d+)\.\d+(?:\.tgz)?$/.exec(spec) ?? [];
  return major === '0' ? `0.${minor}` : major;
}

/** `.env` holds the secrets: only its owner may read it. */
export function checkSecretsFile(root: string): Finding {
  if (!existsSync(join(root, '.env'))) return pass('env-file', 'none; secrets come from the environment');
  return isOpenToOthers(join(root, '.env'))
    ? warning('env-file', 'other users of this machine can read the secrets in it', 'chmod 600 .env')
    : pass('env-file', 'readable by its owner alone');
}

/** The folders that the portal writes to, or their nearest existing parents. */
export function checkStorage(root: string, { mail, database }: PortalConfig): Finding {
  const folders = [
    ...(mail.transport === 'file' ? [resolve(root, mail.directory)] : []),
    ...(database.url.startsWith('sqlite:') ? [dirname(sqliteFile(root, database.url))] : []),
  ];
  const closed = folders.find((folder) => !isWritable(findNearest(folder)));
  if (closed === undefined) return pass('storage', folders.length === 0 ? 'nothing is written to disk' : 'writable');
  return failure('storage', `${closed} may not be written`, 'give the user that runs the portal write access to it');
}

/** Holds personal data: only the owner may read it. SQLite gives its -wal and -shm files the same mode. */
export function checkSqliteFile(root: string, url: string): Finding[] {
  const file = sqliteFile(root, url);
  if (!url.startsWith('sqlite:') || !existsSync(file)) return [];
  if (!isOpenToOthers(file)) return [pass('database-file', 'readable by its owner alone')];
  return [warning('database-file', `other users of this machine can read ${file}`, `chmod 600 ${file}`)];
}

/** The gateway driver's requirements on this machine. */
export async function checkDriver(root: string, { gateway }: PortalConfig): Promise<readonly Finding[]> {
  const { [gateway.driver]: plugin } = await shippedDrivers();
  return plugin?.inspect?.(gateway[gateway.driver as keyof typeof gateway] as never, { root, isOpenToOthers }) ?? [];
}

export function sqliteFile(root: string, url: string): string {
  return resolve(root, url.replace(/^sqlite:/, '').replace(/^\/\/(?=\/)/, ''));
}

// Windows has no such modes; what Node reports there is meaningless.
function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
}

function findNearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findNearest(dirname(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
