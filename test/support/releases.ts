import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const ROOT = process.cwd();

/** Tags of the releases before this commit, the newest first; none in a clone without tags, or without git. */
export async function releaseTags(): Promise<string[]> {
  if (!existsSync('.git')) return [];
  const { stdout } = await execa('git', ['tag', '--list', 'v*', '--sort=-v:refname', '--no-contains', 'HEAD'], {
    reject: false,
  });
  return stdout.split('\n').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
}

/**
 * Checks out a tag into a new folder in `parent`, installs what its lockfile says, and builds it with the tools of this
 * checkout. @returns the folder
 */
export async function buildRelease(tag: string, parent: string): Promise<string> {
  const folder = join(parent, tag);
  await mkdir(folder);
  await execa('sh', ['-c', `git -C "${ROOT}" archive "${tag}" | tar -x -C "${folder}"`], { cwd: parent });
  // Most of it is what this checkout was installed from, and lies in npm's cache.
  const flags = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await execa('npm', ['ci', ...flags], { cwd: folder });
  // Without its development dependencies some types are missing, which keeps it from compiling no more than a warning would.
  const tsc = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');
  await execa(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: folder, reject: false });
  return folder;
}
