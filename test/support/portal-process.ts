import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';

const BIN = join(process.cwd(), 'bin', 'portal.js');

export interface PortalCall {
  cwd: string;
  /** All that the process finds in its environment, beside PATH. */
  env?: Record<string, string>;
  input?: string;
  /** The binary; the checkout's own by default. */
  bin?: string;
}

/** The real binary in a process of its own, run to its end. */
export function spawnPortal(args: readonly string[], { cwd, env = {}, input = '', bin = BIN }: PortalCall) {
  return execa(process.execPath, [bin, ...args], {
    cwd,
    env: { ...env, PATH: process.env['PATH'] },
    extendEnv: false,
    reject: false,
    input,
  });
}

export interface ServingPortal {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it printed so far, on both channels. */
  output(): string;
  /** Resolves once it has printed this. */
  printed(text: string): Promise<void>;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM and waits. */
  stop(): Promise<number | string>;
}

/** `portal serve` on any free port; resolves once it listens. @throws with its output when it ends before that */
export async function servePortal(
  args: readonly string[],
  { cwd, env = {}, bin = BIN }: PortalCall,
): Promise<ServingPortal> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', ...args], {
    cwd,
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const printed = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!text.includes(wanted)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      void ended.then((code) => reject(new Error(`portal serve ended with ${code} without ${wanted}:\n${text}`)));
      look();
    });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  await printed('Listening on ');
  const url = /Listening on (\S+?)["\s]/.exec(text)?.[1] ?? '';
  return { url, process: child, output: () => text, printed, ended, stop };
}
