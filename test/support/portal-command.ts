import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.js';
import type { PortalCall } from './portal-process.js';

export interface PortalResult {
  exitCode: number;
  /** Without the last line end, as in a shell's `$(…)`; the same for `stderr`. */
  stdout: string;
  stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * One command line, run in this process: a tenth of what a process of its own costs. One after the other, because environment
 * and working directory belong to the whole process. The project's TypeScript is read anew each time, its JavaScript is
 * not: what changes that between two calls, like all that is about processes, needs `spawnPortal`.
 */
export function portal(args: readonly string[], call: Omit<PortalCall, 'bin'>): Promise<PortalResult> {
  const result = last.then(() => run(args, call));
  last = result.catch(() => undefined);
  return result;
}

async function run(args: readonly string[], { cwd, env = {}, input = '' }: PortalCall): Promise<PortalResult> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const before = { cwd: process.cwd(), env: process.env };
  forgetModules(cwd);
  process.chdir(cwd);
  process.env = { ...env, PATH: before.env['PATH'] };
  try {
    const exitCode = await main(args, { stdin: Readable.from(input === '' ? [] : [input]), stdout, stderr });
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.env = before.env;
    process.chdir(before.cwd);
  }
}

/** What jiti made of TypeScript. Native modules cannot be forgotten. */
function forgetModules(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) {
    if (file.startsWith(folder) && !file.includes('/node_modules/')) Reflect.deleteProperty(cache, file);
  }
}

class Collected extends Writable {
  private readonly chunks: string[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk.toString());
    done();
  }

  text(): string {
    return this.chunks.join('').replace(/\n$/, '');
  }
}
