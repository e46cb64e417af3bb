import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ImportedLog } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Progress, Ui } from '../ui.js';

/** Stands for standard input. */
const INPUT = '-';
/** Bytes between two signs of progress. */
const STEP = 4 * 1024 * 1024;

export const usageImport = defineCommand({
  name: 'usage:import',
  summary: 'count the answers in access logs of proxies',
  description:
    'Reads access logs of nginx, Caddy and Envoy, a JSON object on each line as docs/usage.md has the proxy write them, and adds ' +
    'status, time and bytes of each call to the answers that usage shows. Calls are counted by the id of the key that the ' +
    'verify endpoint told the proxy; lines without one are left out. Lines that are wrong are named by their number and left ' +
    'out. A log that is imported again, under whatever name, compressed or not, adds what was written to it since; one that ' +
    'was interrupted is taken up where it was. Exit code 1 means that a log could not be read, or not one line of it was good.',
  example: [
    'portal usage:import /var/log/nginx/portal.json',
    'portal usage:import /var/log/caddy/api.log.1.gz /var/log/caddy/api.log --product payments',
    'zcat access.log.*.gz | portal usage:import - --format envoy --dry-run',
  ],
  arguments: { files: { description: 'access logs, also .gz; - is standard input', variadic: true } },
  options: {
    format: {
      type: 'choice',
      choices: ['nginx', 'caddy', 'envoy', 'portal'],
      description: 'who wrote them, instead of telling by their first lines; portal: as POST /gateway/usage takes it',
    },
    product: { type: 'text', description: 'slug of the product of lines that name none' },
    dryRun: { type: 'flag', description: 'read and check everything, and change nothing' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const { dryRun } = options;
    const choices = { format: options.format ?? null, product: options.product ?? null, dryRun };
    const logs = await withPortal({ cwd, ui }, async ({ services, config }) => {
      if (!config.usage.enabled) {
        throw new CommandFailedError('This portal counts no calls.', 'set usage.enabled to true');
      }
      const done: Log[] = [];
      for (const file of args.files) {
        const title = `${dryRun ? 'Reading' : 'Importing'} ${file}`;
        const run = () =>
          ui.progress(title, (progress) => services.usage.logs.run(piecesOf(cwd, file, progress), choices));
        done.push({ file, ...(await readOne(run)) });
      }
      return done;
    });
    if (json) ui.json({ dry_run: dryRun, logs: logs.map(present) });
    else showReport(logs, dryRun, ui);
    return logs.every(isGood) ? EXIT.ok : EXIT.failed;
  },
});

type Outcome = { readonly read: ImportedLog } | { readonly error: string; readonly fix: string };
type Log = Outcome & { readonly file: string };

/** Faults of one log leave the others alone; those of the database end the run. */
async function readOne(run: () => Promise<ImportedLog>): Promise<Outcome> {
  try {
    return { read: await run() };
  } catch (error) {
    const { code = '', message, fix } = error as NodeJS.ErrnoException & { readonly fix?: string };
    if (code === 'log_import') return { error: message, fix: fix ?? '' };
    const known = FILE_FAULTS[code];
    if (!known) throw error;
    return { error: known, fix: 'name access logs that may be read, as paths from the current folder' };
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a folder.',
  EACCES: 'It may not be read.',
  Z_DATA_ERROR: 'It is not compressed as its name says, or damaged.',
  Z_BUF_ERROR: 'Its end is missing.',
};

/** The log from its beginning, a piece at a time; `.gz` files are decompressed as they are read. */
async function* piecesOf(cwd: string, file: string, progress: Progress): AsyncGenerator<Buffer> {
  if (file === INPUT) {
    yield* countBytes(process.stdin, null, progress);
    return;
  }
  const path = resolve(cwd, file);
  const { size } = await stat(path);
  const pieces = countBytes(createReadStream(path), size, progress);
  if (!file.endsWith('.gz')) {
    yield* pieces;
    return;
  }
  const whole = createGunzip();
  // Its errors come out at the end.
  pipeline(pieces, whole, () => undefined);
  yield* whole as AsyncIterable<Buffer>;
}

async function* countBytes(
  pieces: AsyncIterable<unknown>,
  size: number | null,
  progress: Progress,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let told = 0;
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    yield piece;
    bytes += piece.length;
    if (bytes - told < STEP) continue;
    told = bytes;
    if (size === null) progress.message(`${megabytes(bytes)} MB`);
    else progress.advance(megabytes(bytes), megabytes(size));
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function isGood(log: Log): boolean {
  return 'read' in log && (log.read.rejectedLines === 0 || log.read.rejectedLines < log.read.lines);
}

function present(log: Log) {
  const { file } = log;
  if (!('read' in log)) return { file, error: log.error };
  const { format, lines, counted: calls, without, rejectedLines, rejections, known, isUnfinished } = log.read;
  const errors = rejections.map(({ line, lines: times, fault, message }) => ({
    line,
    lines: times,
    code: fault,
    message,
  }));
  return {
    ...{ file, format, lines, counted: calls, without_key: without, rejected: rejectedLines, errors },
    ...{ known_bytes: known, unfinished: isUnfinished },
  };
}

function showReport(logs: readonly Log[], dryRun: boolean, ui: Ui): void {
  for (const log of logs) {
    if ('read' in log) showFaults(log.file, log.read, ui);
    else ui.error(`${log.file}: ${log.error} Fix: ${log.fix}.`);
  }
  const read = logs.flatMap((log) => ('read' in log ? [{ file: log.file, ...log.read }] : []));
  if (read.length === 0) return;
  ui.table([
    ['LOG', 'FORMAT', 'LINES', dryRun ? 'WOULD BE COUNTED' : 'COUNTED', 'WITHOUT A KEY', 'WRONG'],
    ...read.map((log) => [
      ...[log.file, log.format ?? '–'],
      ...[log.lines, log.counted, log.without, log.rejectedLines].map(String),
    ]),
  ]);
  ui.line();
  if (read.some(({ known }) => known > 0)) ui.note('What was imported before is not counted again.');
  ui.success(dryRun ? 'Nothing was changed.' : 'Done.');
}

function showFaults(file: string, { rejections, rejectedLines, isUnfinished }: ImportedLog, ui: Ui): void {
  for (const { line, lines, message } of rejections) {
    ui.warn(`${file}, line ${line}${lines > 1 ? ` and ${lines - 1} more` : ''}: ${message}`);
  }
  const named = rejections.reduce((sum, { lines }) => sum + lines, 0);
  if (rejectedLines > named) ui.warn(`${file}: ${rejectedLines - named} further lines are wrong`);
  if (isUnfinished) ui.note(`${file}: the last line has no end yet and is left for the next import.`);
}
