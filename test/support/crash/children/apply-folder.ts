// A process that applies a folder to a database and kills itself after a statement that writes. Parameters as JSON.
import {
  carryOut,
  kinds,
  OperatorPort,
  planChanges,
  PresentRecords,
  readFolder,
} from '../../../../src/as-code/index.js';
import { runAsOperator } from '../../../../src/core/index.js';
import { startTestPortal } from '../../test-portal.js';

export interface ApplyTask {
  readonly databaseUrl: string;
  readonly key: string;
  readonly folder: string;
  /** Number of the statement, from 1; 0: lives, and prints how many there were. */
  readonly killAt: number;
  readonly isOneByOne: boolean;
}

const task = JSON.parse(process.argv[2] ?? '{}') as ApplyTask;
const test = await startTestPortal({
  ...{ databaseUrl: task.databaseUrl, replicas: 1 },
  config: { app: { key: task.key } },
});
const { portal } = test;
const { driver } = portal.database;
let done = 0;
let isWatching = false;

async function step(): Promise<void> {
  if (!isWatching) return;
  done += 1;
  if (done !== task.killAt) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

for (const name of ['execute', 'commit'] as const) {
  const perform = driver[name].bind(driver) as (...values: unknown[]) => Promise<unknown>;
  Object.assign(driver, {
    [name]: async (...values: unknown[]) => {
      const result = await perform(...values);
      await step();
      return result;
    },
  });
}

await runAsOperator(async () => {
  const port = new OperatorPort(portal.services, portal.operatorParts);
  const wanted = await readFolder({ root: task.folder, kinds, env: {} });
  const steps = await planChanges(port, wanted, new PresentRecords(port));
  isWatching = true;
  await carryOut(port, steps, { isOneByOne: task.isOneByOne });
  isWatching = false;
});
process.stdout.write(`${done}\n`);
await test.stop();
