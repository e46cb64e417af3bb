import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../errors.js';
import type { Ui } from '../ui.js';

const FILES = new Set(['portal.config.ts', 'portal.config.js', '.env']);
const FOLDERS = ['src', 'migrations'];
/** Debounce: editors write a file in several steps. */
const SETTLE_MS = 100;

/**
 * Serves in a child process and restarts it when the configuration, `.env`, `src/` or `migrations/` change. Modules
 * cannot be unloaded, so only a new process sees new code.
 * @param argv the arguments of `node`: this program and its command line, without `--watch`
 * @returns the exit code once a signal ended it
 */
export async function watchHost(cwd: string, argv: readonly string[], ui: Ui): Promise<number> {
  const server = new Restarting(argv, ui);
  const watchers = watchFiles(cwd, () => server.restart());
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve()).once('SIGINT', () => resolve());
    server.start();
  });
  for (const watcher of watchers) watcher.close();
  await server.stop();
  return EXIT.ok;
}

function watchFiles(cwd: string, onChange: () => void): FSWatcher[] {
  let timer: NodeJS.Timeout | undefined;
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  };
  const folders = FOLDERS.map((name) => join(cwd, name)).filter((folder) => existsSync(folder));
  return [
    watch(cwd, (_event, name) => {
      if (name !== null && FILES.has(name)) settle();
    }),
    ...folders.map((folder) => watch(folder, { recursive: true }, settle)),
  ];
}

/** Runs one child at a time; a change during its shutdown is not lost. */
class Restarting {
  private child: ChildProcess | undefined;
  private gone: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly argv: readonly string[],
    private readonly ui: Ui,
  ) {}

  start(): void {
    const child = spawn(process.execPath, [...process.execArgv, ...this.argv], { stdio: 'inherit' });
    this.child = child;
    this.gone = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', (code) => {
        if (this.child === child) this.child = undefined;
        if (!this.isStopping && code !== null && code !== 0) this.ui.note('Waiting for a change …');
        resolve();
      });
    });
  }

  restart(): void {
    this.ui.note('Something changed: starting anew.');
    const leaving = this.child;
    leaving?.kill('SIGTERM');
    // A second change before the old process has exited must not start a second child.
    const gone = this.gone;
    void gone.then(() => {
      if (!this.isStopping && this.child === undefined && this.gone === gone) this.start();
    });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.child?.kill('SIGTERM');
    await this.gone;
  }
}
