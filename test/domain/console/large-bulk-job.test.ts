import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BulkCaller, OperationPort } from '../../../src/domain/console/index.js';
import { callerOf } from '../../support/route-port.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const RECORDS = 20_000;
const MB = 1024 * 1024;

let test: TestPortal;
let caller: BulkCaller;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  caller = await callerOf(test);
});
afterAll(() => test.stop());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A list of many records that takes no room, and an operation that remembers nothing but numbers. */
function endlessPort(onRun: (id: number) => void): OperationPort {
  return {
    run: (_operation, { query, params }) => {
      if (!query) {
        onRun(Number(params?.id));
        return Promise.resolve({ status: 200, data: {} });
      }
      const perPage = Number(query.per_page);
      const isNewest = query.direction === 'desc';
      const first = isNewest ? RECORDS : Number(query.cursor ?? 0) + 1;
      const last = isNewest ? RECORDS : Math.min(RECORDS, first + perPage - 1);
      const items = Array.from({ length: last - first + 1 }, (_, index) => ({
        id: first + index,
        name: 'x'.repeat(500),
      }));
      const nextCursor = isNewest || last === RECORDS ? null : String(last);
      return Promise.resolve({
        status: 200,
        data: items,
        page: { items, total: RECORDS, perPage, page: 1, nextCursor },
      });
    },
    may: () => Promise.resolve(true),
    validate: (_operation, body) => body,
    route: () => ({}),
  };
}

it('a job of twenty thousand records takes no more memory at its end than at its begin, and tells how far it is', async () => {
  const { jobs, operations } = test.portal.services.console;
  const heaps: number[] = [];
  const told: Promise<number>[] = [];
  let uuid = '';
  let sum = 0;
  const port = endlessPort((id) => {
    sum += id;
    if (id % 2_000 !== 1) return;
    heaps.push(heap());
    told.push(jobs.find(uuid, caller.actor.id).then(({ done }) => done));
  });
  operations.connect(port, () => ({ list: 'listUsers', operation: 'activateUser' }));
  const job = await jobs.start({ resource: 'users', action: 'activate', query: {} }, 'large', caller);
  ({ uuid } = job);
  await test.portal.jobs.run('bulk');
  expect(await jobs.find(uuid, caller.actor.id)).toMatchObject({
    state: 'done',
    total: RECORDS,
    done: RECORDS,
    failed: 0,
  });
  expect(sum).toBe((RECORDS * (RECORDS + 1)) / 2);
  const progress = await Promise.all(told);
  expect(progress).toEqual([...progress].sort((one, two) => one - two));
  expect(new Set(progress).size).toBe(10);
  let lines = 0;
  for await (const text of jobs.resultLines(job)) {
    lines += text.split('\r\n').length - 1;
    if (lines % 5_000 === 1) heaps.push(heap());
  }
  expect(lines).toBe(RECORDS + 1);
  expect(Math.max(...heaps) - (heaps[0] ?? 0)).toBeLessThan(20 * MB);
}, 900_000);
