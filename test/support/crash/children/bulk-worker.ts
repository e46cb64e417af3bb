// A process that works on bulk jobs and kills itself in the middle of a record. Parameters as JSON: see BulkDeath.
import { FakeClock } from '../../fake-clock.js';
import { bulkActions, routePort } from '../../route-port.js';
import { startTestPortal } from '../../test-portal.js';

export interface BulkDeath {
  readonly databaseUrl: string;
  readonly appKey: string;
  readonly now: string;
  /** Operation that it dies with, at this call of it; 0 lives. */
  readonly operation: string;
  readonly killAt: number;
  /** Dies before the operation has done anything, or when it has done everything. */
  readonly when: 'before' | 'after';
}

const task = JSON.parse(process.argv[2] ?? '{}') as BulkDeath;
const { databaseUrl, appKey, now, killAt, when } = task;
const test = await startTestPortal({
  ...{ databaseUrl, clock: new FakeClock(now), replicas: 1 },
  config: { app: { key: appKey } },
});
let count = 0;
const step = async (operation: string, call: { params?: object; body?: unknown }): Promise<void> => {
  if (operation !== task.operation) return;
  count += 1;
  process.stdout.write(`${JSON.stringify(call.params ?? {})}\n`);
  if (count !== killAt) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
};
test.portal.services.console.operations.connect(routePort(test, { [when]: step }), bulkActions);
await test.portal.jobs.run('bulk');
await test.stop();
