import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';

const PROJECT = {
  'package.json': JSON.stringify({ name: '@bank/Acme_Portal', type: 'module', dependencies: { portalkit: '*' } }),
  'portal.config.js': "export default { app: { env: 'test' } };\n",
};

/** A host project in which `portal publish` wrote this. @returns its folder */
export async function publishedProject(
  target: 'docker' | 'kubernetes' | 'helm' | 'systemd' | 'fly' | 'render' | 'railway' | 'devcontainer',
): Promise<string> {
  const cwd = await folderWith(PROJECT);
  await publish(cwd, target);
  return cwd;
}

export async function publish(cwd: string, ...args: string[]): Promise<Record<string, string[]>> {
  const { exitCode, stdout, stderr } = await portal(['publish', ...args, '--json'], { cwd, env: SECRETS });
  if (exitCode !== 0) throw new Error(`portal publish ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, string[]>;
}

export async function readYaml<T>(...path: string[]): Promise<T> {
  return parse(await readFile(join(...path), 'utf8'), { merge: true }) as T;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Every object of a folder of manifests, with the file that it is in. */
export async function readManifests<T extends Manifest>(folder: string): Promise<{ file: string; manifest: T }[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const read = files.map(async (file) => {
    const documents = parseAllDocuments(await readFile(join(folder, file), 'utf8'));
    return documents.map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`);
      return { file, manifest: document.toJS() as T };
    });
  });
  return (await Promise.all(read)).flat();
}
