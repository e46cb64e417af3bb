import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailedError } from '../errors.js';
import type { Ui } from '../ui.js';

const KEPT_LINES = 20;
const TOLD_EVERY = 25;
/** npm retries an unreachable registry for minutes. What works without one is done by then. */
const PATIENCE_MS = 25_000;

/**
 * Runs `npm install` in a project and reports progress.
 * @param patience milliseconds after which an unreachable registry ends it
 * @throws CommandFailedError with the reason, or the end of npm's output
 */
export async function installDependencies(folder: string, ui: Ui, patience = PATIENCE_MS): Promise<true> {
  const { execa, ExecaError } = await import('execa');
  const end = new AbortController();
  const over = new AbortController();
  let fault: string | undefined;
  try {
    await ui.progress('Installing dependencies', async ({ message }) => {
      const npm = execa('npm', ['install', '--no-audit', '--no-fund', '--loglevel=http'], {
        ...{ cwd: folder, all: true, cancelSignal: end.signal, forceKillAfterDelay: 2_000 },
      });
      const watching = watchRegistry(folder, patience, over.signal).then((found) => {
        fault = found;
        if (found !== undefined) end.abort();
      });
      let fetched = 0;
      for await (const line of npm.iterable({ from: 'all' })) {
        if (!line.includes(' http fetch GET 200 ')) continue;
        fetched += 1;
        if (fetched % TOLD_EVERY === 0) message(`${fetched} answers of the registry`);
      }
      await npm;
      over.abort();
      await watching;
    });
    return true;
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    const fix = `the files are written; run npm install in ${folder} once the cause is gone`;
    if (fault !== undefined) throw new CommandFailedError(`npm install failed: ${fault}`, fix, { cause: error });
    const output = String(error.all ?? error.shortMessage).split('\n');
    const lines = output.filter((line) => !/^npm (?:http|verbose)\b/.test(line));
    for (const line of lines.slice(-KEPT_LINES)) ui.note(line);
    throw new CommandFailedError('npm install failed.', fix, { cause: error });
  } finally {
    over.abort();
  }
}

/**
 * Makes tables and roles of a new project whose database is a file of its own, so that it can be served at once.
 * @returns whether it did; what stood in the way is told, and is left to the commands that do the same
 */
export async function prepareDatabase(folder: string, ui: Ui): Promise<boolean> {
  const { execa, ExecaError } = await import('execa');
  const portal = join(folder, 'node_modules', 'portalkit', 'bin', 'portal.js');
  // A database that the shell names is not the new one.
  const options = { cwd: folder, env: { DATABASE_URL: '', APP_ENV: '' }, all: true };
  try {
    await ui.progress('Making tables and roles', async () => {
      for (const command of ['migrate', 'rbac:seed']) await execa(process.execPath, [portal, command], options);
    });
    return true;
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    ui.note(`Tables and roles could not be made yet: ${String(error.all ?? error.shortMessage)}`);
    return false;
  }
}

/**
 * Pings the registry through npm, with its proxy and certificate settings.
 * @returns why it is unreachable, once `patience` is over; undefined when it answers with anything
 */
async function watchRegistry(folder: string, patience: number, signal: AbortSignal): Promise<string | undefined> {
  const { execa } = await import('execa');
  const start = Date.now();
  const wait = Math.round(patience / 2);
  const options = { cwd: folder, all: true, reject: false, cancelSignal: signal, timeout: patience } as const;
  const ping = await execa('npm', ['ping', '--fetch-retries=0', `--fetch-timeout=${wait}`], options);
  const code = /npm (?:error|ERR!) code (\S+)/.exec(ping.all)?.[1] ?? (ping.timedOut ? 'ETIMEDOUT' : undefined);
  if (signal.aborted || code === undefined || /^E\d{3}$/.test(code)) return undefined;
  const { stdout } = await execa('npm', ['config', 'get', 'registry'], { cwd: folder, reject: false });
  const left = Math.max(0, patience - (Date.now() - start));
  const isLeft = await pause(left, true, { signal }).catch(() => false);
  return isLeft ? `the registry${maskRegistry(stdout)} cannot be reached (${code}).` : undefined;
}

// npm does not print an address that contains a password.
function maskRegistry(registry: string): string {
  return URL.canParse(registry.trim()) ? ` ${registry.trim()}` : '';
}
