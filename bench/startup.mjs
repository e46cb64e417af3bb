/**
 * How long it takes until somebody is helped, and what waiting costs: `portal --help`, `portal serve` up to its first 200,
 * and the memory of an idle portal. Runs on the build (`npm run build` first) and in a project made for it. Prints the best
 * of several runs: what else the machine does only ever makes them slower.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BIN, serveCommand } from './support/serve-command.mjs';

const RUNS = 7;
/** V8 gives back what the start took once nothing has happened for some seconds. */
const SETTLE_MS = 20_000;
const TARGETS = { help: 150, firstAnswer: 1000, memory: 120 };

const run = promisify(execFile);
const portal = (...args) => run(process.execPath, [BIN, ...args]);

async function timeHelp() {
  const began = performance.now();
  await portal('--help');
  return performance.now() - began;
}

/** Starts the portal, waits for the first 200 and ends it. */
async function timeFirstAnswer(project, whenUp = async () => undefined) {
  const began = performance.now();
  const { pid, stop } = await serveCommand(project);
  const elapsed = performance.now() - began;
  await whenUp(pid);
  await stop();
  return elapsed;
}

/** Resident memory in MB of an idle process; Linux tells it, elsewhere ps does. */
async function memoryOf(pid) {
  await pause(SETTLE_MS);
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const kilobytes = status ? /VmRSS:\s+(\d+)/.exec(status)?.[1] : (await run('ps', ['-o', 'rss=', '-p', pid])).stdout;
  return Number(kilobytes) / 1024;
}

async function bestOf(measure) {
  const times = [];
  for (let number = 0; number < RUNS; number += 1) times.push(await measure());
  return Math.min(...times);
}

function print(what, value, unit, target) {
  const result = value <= target ? 'within' : 'ABOVE';
  console.log(`${what.padEnd(28)} ${value.toFixed(0).padStart(5)} ${unit}   ${result} the target of ${target} ${unit}`);
}

const folder = await mkdtemp(join(tmpdir(), 'portalkit-bench-'));
try {
  const project = join(folder, 'host');
  await portal('init', project, '--yes');
  await portal('migrate', '--cwd', project);
  print('portal --help', await bestOf(timeHelp), 'ms', TARGETS.help);
  print('portal serve to first 200', await bestOf(() => timeFirstAnswer(project)), 'ms', TARGETS.firstAnswer);
  let memory = 0;
  await timeFirstAnswer(project, async (pid) => (memory = await memoryOf(pid)));
  print('idle memory', memory, 'MB', TARGETS.memory);
} finally {
  await rm(folder, { recursive: true, force: true });
}
