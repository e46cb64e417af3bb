import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandFailedError } from '../errors.js';
import type { ProjectFile } from './project-files.js';

/** What happened to the files of a project; paths are relative to it. */
export interface WriteReport {
  readonly written: string[];
  /** Replaced because of `--force`. */
  readonly overwritten: string[];
  /** Existed with different content; left alone. */
  readonly kept: string[];
  /** Existed with the same content. */
  readonly skipped: string[];
}

/** Creates the project folder. @throws CommandFailedError when it is a file or not writable */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fix = 'choose another folder';
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new CommandFailedError(`${folder} is a file or lies below one.`, fix, { cause: error });
    }
    const reason =
      code === 'EACCES' || code === 'EROFS' || code === 'EPERM' ? 'may not be written' : `cannot be made (${code})`;
    throw new CommandFailedError(`${folder} ${reason}.`, `${fix}, or give this user write access`, { cause: error });
  }
}

/** Writes missing files; existing ones are replaced only with `force`, precious ones never. */
export async function writeProject(
  folder: string,
  files: readonly ProjectFile[],
  force: boolean,
): Promise<WriteReport> {
  const report: WriteReport = { written: [], overwritten: [], kept: [], skipped: [] };
  for (const file of files) report[await writeProjectFile(folder, file, force)].push(file.path);
  return report;
}

async function writeProjectFile(folder: string, file: ProjectFile, force: boolean): Promise<keyof WriteReport> {
  const path = join(folder, file.path);
  const present = await contentOf(path, file.path);
  if (present === file.text) return 'skipped';
  if (present !== undefined && (!force || file.isPrecious === true)) return 'kept';
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.text, { mode: file.mode ?? 0o644 });
  // writeFile applies the mode to new files only.
  if (file.mode !== undefined) await chmod(path, file.mode);
  return present === undefined ? 'written' : 'overwritten';
}

async function contentOf(path: string, name: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new CommandFailedError(`${name} is a folder where a file belongs.`, 'rename it');
  return readFile(path, 'utf8');
}
