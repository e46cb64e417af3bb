import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailedError } from '../errors.js';

/** Next to the published files, and committed with them. */
const RECORD = '.portalkit.json';

/** The package's file at the time the host copied it. */
export interface RecordedFile {
  readonly sha256: string;
  /** Of the package. */
  readonly version: string;
}

/** Path below the views folder → the file it was copied from. */
export type PublishingRecord = Readonly<Record<string, RecordedFile>>;

/** Hash of the text, independent of line endings. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

/** @throws CommandFailedError for an invalid record */
export async function readPublishingRecord(folder: string): Promise<PublishingRecord> {
  const file = join(folder, RECORD);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{"files":{}}';
    throw error;
  });
  const files = filesOf(text);
  if (files) return files;
  const fix = 'bring it back from version control, or delete it: your views stay, only their origin is forgotten';
  throw new CommandFailedError(`${file} is not what portal theme:publish wrote.`, fix);
}

function filesOf(text: string): PublishingRecord | null {
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    const isRecord = typeof files === 'object' && files !== null && Object.values(files).every(isRecorded);
    return isRecord ? (files as PublishingRecord) : null;
  } catch {
    return null;
  }
}

function isRecorded(value: unknown): value is RecordedFile {
  const { sha256, version } = (value ?? {}) as Partial<RecordedFile>;
  return typeof sha256 === 'string' && typeof version === 'string';
}

/** Sorted, to keep merge conflicts small when two people publish. */
export async function writeRecord(folder: string, record: PublishingRecord): Promise<void> {
  const files = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, RECORD), `${JSON.stringify({ files }, null, 2)}\n`);
}
