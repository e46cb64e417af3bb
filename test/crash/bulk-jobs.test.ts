import { randomBytes } from 'node:crypto';
import type { BulkCaller } from '../../src/domain/console/index.js';
import { startChild } from '../support/child-process.js';
import type { BulkDeath } from '../support/crash/children/bulk-worker.js';
import { createUser } from '../support/factories.js';
import { bulkActions, callerOf, routePort } from '../support/route-port.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const appKey = `base64:${randomBytes(32).toString('base64')}`;
let test: TestPortal;
let caller: BulkCaller;
let seen: string[] = [];

beforeAll(async () => {
  test = await startTestPortal({ config: { app: { key: appKey } }, replicas: 1 });
  caller = await callerOf(test);
  const note = (operation: string, { params, body }: { params?: object; body?: unknown }) => {
    if (operation.endsWith('User')) seen.push(JSON.stringify(body ?? params));
  };
  test.portal.services.console.operations.connect(routePort(test, { before: note }), bulkActions);
});
afterAll(() => test.stop());
beforeEach(() => void (seen = []));

/** Lets a process of its own work until it kills itself. @returns what it had begun, the last one in the middle */
async function dieIn(operation: string, killAt: number, when: 'before' | 'after'): Promise<string[]> {
  const task: BulkDeath = {
    ...{ databaseUrl: test.databaseUrl, appKey, now: test.clock.now().toISOString() },
    ...{ operation, killAt, when },
  };
  const child = startChild(import.meta.url, '../support/crash/children/bulk-worker.js', [JSON.stringify(task)]);
  const isAlive = await child.result.then(
    () => true,
    () => false,
  );
  if (isAlive) throw new Error('nothing killed the process');
  const output = await child.printed('');
  return output.trim().split('\n');
}

const activities = (action: string, requestId: string) =>
  test.portal.database.select<{ subject: string }>(
    'SELECT subject_id AS subject FROM portal_activities WHERE action = ? AND request_id = ? ORDER BY id',
    [action, requestId],
  );

describe('a process that is killed in the middle of a bulk job', () => {
  it.each(['before', 'after'] as const)(
    'leaves it to another, which tries the record again that it died %s, and does none twice',
    async (when) => {
      const made = [];
      for (let count = 0; count < 120; count += 1) made.push(await createUser(test, { status: 'active' }));
      const choice = { resource: 'users', action: 'deactivate', query: { filters: '{"status":"active"}' } };
      const { jobs } = test.portal.services.console;
      const job = await jobs.start(choice, `kill ${when}`, caller);
      const first = await dieIn('deactivateUser', 30, when);
      expect(first).toHaveLength(30);
      await test.portal.jobs.run('bulk');
      expect(seen).toEqual([]);
      test.clock.advance(61);
      const second = await dieIn('deactivateUser', 60, when);
      expect(second[0]).toBe(first.at(-1));
      test.clock.advance(61);
      await test.portal.jobs.run('bulk');
      expect(seen[0]).toBe(second.at(-1));
      const all = [...first.slice(0, -1), ...second.slice(0, -1), ...seen];
      expect(all).toEqual(made.map(({ id }) => JSON.stringify({ id })));
      expect(await jobs.find(job.uuid, caller.actor.id)).toMatchObject({
        state: 'done',
        total: 120,
        done: 120,
        failed: 0,
      });
      const recorded = await activities('user.status_changed', `bulk-${job.uuid}`);
      expect(recorded.map(({ subject }) => Number(subject))).toEqual(made.map(({ id }) => id));
    },
    60_000,
  );

  it.each(['before', 'after'] as const)(
    'leaves an import to another, which makes no record twice when it died %s making one',
    async (when) => {
      const { imports, jobs } = test.portal.services.console;
      const emails = Array.from({ length: 12 }, (_, index) => `${when}${index}@example.com`);
      const file = ['email,first_name,last_name', ...emails.map((email) => `${email},A,B`)].join('\n');
      const { job, mapping } = await imports.upload('users', Buffer.from(file), `import ${when}`, caller);
      await imports.start(job.uuid, mapping, caller);
      expect(await dieIn('createUser', 5, when)).toHaveLength(5);
      test.clock.advance(61);
      await test.portal.jobs.run('bulk');
      expect(seen).toHaveLength(8);
      expect(await jobs.find(job.uuid, caller.actor.id)).toMatchObject({ state: 'done', done: 12, failed: 0 });
      expect(await activities('user.created', `bulk-${job.uuid}`)).toHaveLength(12);
    },
    60_000,
  );
});
