import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE } from './patience.js';
import { freePort } from './ports.js';

const STOP_WITHIN_MS = 20_000;
const PROBE_EVERY_MS = 20;
const PORT_ATTEMPTS = 3;

/**
 * Runs "$@" in the process group of this shell. Standard input is a pipe held by the test process: however that dies, even
 * by SIGKILL, the pipe closes and the whole group goes with it. SIGTERM is handed on and waited for.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( cat <&3 >/dev/null; kill -KILL 0 ) &
trap 'kill -TERM "$child" 2>/dev/null' TERM
wait "$child"
wait "$child" 2>/dev/null
`;

export interface PrivateService {
  readonly port: number;
  /** Temporary folder of this run; removed by `stop`. */
  readonly directory: string;
  /** Process id of the guard, which leads the process group of the service. */
  readonly pid: number;
  /** Standard output and error so far. */
  log(): string;
  /** Ends the service and removes its folder. Calling it twice does no harm. */
  stop(): Promise<void>;
}

export interface ServiceCommand {
  program: string;
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Whether the service answers; asked again and again until true. Default: its port accepts a connection. */
  isReady?: () => Promise<boolean>;
}

/**
 * Starts a service on a free loopback port with a temporary folder and resolves once it answers.
 * @param name for the folder and the errors
 * @param prepare writes what the service needs into `directory` and tells the command
 * @throws with the end of its log when it ends early or does not answer in time
 */
export async function startPrivately(
  name: string,
  prepare: (place: { port: number; directory: string }) => ServiceCommand | Promise<ServiceCommand>,
): Promise<PrivateService> {
  for (let attempt = 1; ; attempt += 1) {
    const directory = mkdtempSync(join(tmpdir(), `portalkit-${name}-`));
    const port = await freePort();
    const command = await prepare({ port, directory });
    const service = launch(port, directory, command);
    const fault = await untilReady(service.child, command.isReady ?? (() => accepts(port)));
    if (fault === undefined) return service;
    const log = service.log();
    await service.stop();
    // Somebody else bound the port between the probe and the start.
    if (attempt < PORT_ATTEMPTS && /in use|cannot bind/i.test(log)) continue;
    throw new Error(`${name} ${fault}:\n${log.slice(-2000)}`);
  }
}

function launch(port: number, directory: string, command: ServiceCommand): PrivateService & { child: ChildProcess } {
  const logFile = join(directory, 'output.log');
  const output = openSync(logFile, 'a');
  const child = spawn('bash', ['-c', GUARD, 'guard', command.program, ...command.arguments], {
    cwd: directory,
    detached: true,
    stdio: ['pipe', output, output],
    env: { ...process.env, ...command.environment },
  });
  closeSync(output);
  // A test that forgets to stop its service must not keep jest from ending.
  child.unref();
  (child.stdin as Socket | null)?.unref();
  const pid = child.pid ?? 0;
  const ended = once(child, 'exit');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await Promise.race([ended, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
    killGroup(pid);
    await ended;
    child.stdin?.destroy();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    child,
    port,
    directory,
    pid,
    log: () => readFileSync(logFile, 'utf8'),
    stop: () => (stopping ??= stop()),
  };
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<string | undefined> {
  const deadline = performance.now() + PATIENCE.start;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) return `ended with exit code ${child.exitCode}`;
    if (await isReady()) return undefined;
    await pause(PROBE_EVERY_MS);
  }
  return `did not answer within ${PATIENCE.start / 1000} s`;
}

/** Whether something accepts connections on a loopback port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(10_000, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
