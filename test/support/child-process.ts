import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Child {
  process: ChildProcess;
  /** Resolves with the child's output once it contains `text`. */
  printed(text: string): Promise<string>;
  /** The complete output. @throws Error with stderr for an exit code other than 0 */
  result: Promise<string>;
}

/** Runs a compiled script beside the caller, for example `startChild(import.meta.url, './children/migrate.js', [url])`. */
export function startChild(caller: string, script: string, parameters: readonly string[]): Child {
  const path = fileURLToPath(new URL(script, caller));
  const child = spawn(process.execPath, [path, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const result = new Promise<string>((resolve, reject) => {
    child.on('close', (code, signal) =>
      code === 0 ? resolve(output) : reject(new Error(`${script} ended with ${code ?? signal}: ${complaints}`)),
    );
  });
  // Nobody awaits the result of a child that is killed on purpose.
  result.catch(() => undefined);
  const printed = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => output.includes(text) && resolve(output);
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`${script} ended without printing ${text}: ${complaints}`)));
      look();
    });
  return { process: child, printed, result };
}
