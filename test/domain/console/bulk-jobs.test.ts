import { ForbiddenError, runAs, ServiceUnavailableError, ValidationError } from '../../../src/core/index.js';
import { toActingPerson } from '../../../src/domain/auth/index.js';
import type { BulkCaller, BulkJob } from '../../../src/domain/console/index.js';
import { bulkActions, callerOf, routePort, type PortWatch } from '../../support/route-port.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let caller: BulkCaller;
let watch: PortWatch = {};
const active = { filters: '{"status":"active"}' };
const deactivate = { resource: 'users', action: 'deactivate', query: active } as const;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  caller = await callerOf(test);
  const around = {
    before: (...call: never[]) => watch.before?.(...(call as unknown as Parameters<NonNullable<PortWatch['before']>>)),
  };
  test.portal.services.console.operations.connect(routePort(test, around), bulkActions);
});
afterAll(() => test.stop());
beforeEach(async () => {
  watch = {};
  await test.portal.database.execute('DELETE FROM portal_users');
});

const consoleOf = () => test.portal.services.console;
const developers = async (count: number) => {
  const made = [];
  for (let number = 0; number < count; number += 1) made.push(await createUser(test, { status: 'active' }));
  return made;
};
const statuses = async () => {
  const rows = await test.portal.database.select<{ status: string }>('SELECT status FROM portal_users ORDER BY id');
  return rows.map(({ status }) => status);
};
const actions = async (pattern: string) => {
  const sql =
    'SELECT action, actor_id AS actor, request_id AS request, subject_id AS subject, changes FROM portal_activities WHERE action LIKE ? ORDER BY id';
  const decode = { changes: 'json' } as const;
  return test.portal.database.select<Record<'action' | 'actor' | 'request' | 'subject' | 'changes', unknown>>(
    sql,
    [pattern],
    { decode },
  );
};
let tokens = 0;
const start = (choice: Parameters<ReturnType<typeof consoleOf>['jobs']['start']>[0], by = caller) =>
  runAs({ person: toActingPerson(by.actor), request: by.request }, () =>
    consoleOf().jobs.start(choice, `token-${(tokens += 1)}`, by),
  );
const finish = async ({ uuid }: BulkJob) => {
  await test.portal.jobs.run('bulk');
  return consoleOf().jobs.find(uuid, caller.actor.id);
};
const results = async (job: BulkJob) => {
  const rows = [];
  for await (const batch of consoleOf().jobs.results(job)) rows.push(...batch);
  return rows;
};

describe('work on many records', () => {
  it('is previewed with its exact count and its first twenty records', async () => {
    await developers(23);
    await createUser(test, { status: 'inactive' });
    const { total, records } = await consoleOf().jobs.preview(
      { ...deactivate, query: { ...active, order_by: 'id', page: '2' } },
      caller,
    );
    expect([total, records.length, records[0]?.status]).toEqual([23, 20, 'active']);
  });

  it('is done to what the filter chooses, more than a page of it, and to nothing else', async () => {
    const pending = await createUser(test, { status: 'pending' });
    await developers(130);
    const job = await start(deactivate);
    expect(job).toMatchObject({ state: 'queued', total: 130, operation: 'deactivateUser', query: active });
    expect(await finish(job)).toMatchObject({
      state: 'done',
      reason: null,
      total: 130,
      done: 130,
      failed: 0,
      skipped: 0,
    });
    expect((await statuses()).filter((status) => status === 'inactive')).toHaveLength(130);
    expect(await results(job)).toHaveLength(130);
    expect((await results(job)).some(({ recordKey }) => recordKey === String(pending.id))).toBe(false);
  });

  it('leaves records that came after its start alone', async () => {
    await developers(2);
    const job = await start(deactivate);
    await developers(2);
    expect(await finish(job)).toMatchObject({ state: 'done', total: 2, done: 2 });
    expect(await statuses()).toEqual(['inactive', 'inactive', 'active', 'active']);
  });

  it('leaves records alone that are not in a state for it, and says so', async () => {
    const [one, two] = await developers(2);
    await test.portal.services.accounts.users.setStatus(two?.id ?? 0, 'inactive');
    const job = await start({ ...deactivate, query: {} });
    expect(await finish(job)).toMatchObject({ state: 'done', total: 2, done: 1, failed: 0, skipped: 1 });
    expect(await results(job)).toMatchObject([
      { recordKey: String(one?.id), state: 'done' },
      { recordKey: String(two?.id), state: 'skipped', status: null, message: 'The record is not in a state for this.' },
    ]);
  });

  it('has an entry in the log for its start, for its end and for each record, in the name of who started it', async () => {
    const [one, two] = await developers(2);
    const job = await start(deactivate);
    await finish(job);
    const { id } = caller.actor;
    const request = `bulk-${job.uuid}`;
    expect(await actions('user.status_changed')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: id, request, subject: String(one?.id) }),
        expect.objectContaining({ actor: id, request, subject: String(two?.id) }),
      ]),
    );
    const own = (await actions('bulk_job.%')).filter(({ subject }) => subject === String(job.id));
    expect(own).toMatchObject([
      { action: 'bulk_job.started', actor: id, changes: { operation: [null, 'deactivateUser'], records: [null, 2] } },
      {
        action: 'bulk_job.ended',
        actor: id,
        request,
        changes: { state: ['running', 'done'], done: [0, 2], failed: [0, 0] },
      },
    ]);
  });

  it('starts once for one token, also when two clicks arrive together', async () => {
    await developers(1);
    const jobs = await Promise.all([1, 2].map(() => consoleOf().jobs.start(deactivate, 'same', caller)));
    expect(new Set(jobs.map(({ uuid }) => uuid)).size).toBe(1);
    const other = await callerOf(test);
    expect((await consoleOf().jobs.start(deactivate, 'same', other)).uuid).not.toBe(jobs[0]?.uuid);
    await test.portal.jobs.run('bulk');
  });

  it('goes on when records fail, and says of each what the API would have said', async () => {
    const [one, two, three] = await developers(3);
    watch.before = (operation, { params }) => {
      if (operation !== 'deactivateUser') return;
      if (params?.id === one?.id) throw new ValidationError({ status: ['=not today'] });
      if (params?.id === three?.id) throw new TypeError('a secret of the inside');
    };
    const job = await start(deactivate);
    expect(await finish(job)).toMatchObject({ state: 'done', done: 1, failed: 2 });
    expect(await results(job)).toMatchObject([
      { recordKey: String(one?.id), state: 'failed', status: 422, message: 'Validation failed. status: =not today' },
      { recordKey: String(two?.id), state: 'done', status: 200, message: null },
      { recordKey: String(three?.id), state: 'failed', status: 500, message: 'Internal server error.' },
    ]);
    const lines = [];
    for await (const line of consoleOf().jobs.resultLines(job)) lines.push(line);
    expect(lines.join('').split('\r\n').slice(0, 2)).toEqual([
      '"id","state","status","message"',
      `"${one?.id}","failed","422","Validation failed. status: =not today"`,
    ]);
  });

  it('stops after the present record when it is asked to, and does not touch the others', async () => {
    await developers(5);
    const job = await start(deactivate);
    let count = 0;
    watch.before = async (operation) => {
      if (operation === 'deactivateUser' && (count += 1) === 2) await consoleOf().jobs.stop(job.uuid, caller.actor.id);
    };
    expect(await finish(job)).toMatchObject({
      state: 'stopped',
      reason: 'asked',
      done: 2,
      failed: 0,
      skipped: 3,
      total: 5,
    });
    expect((await statuses()).filter((status) => status === 'inactive')).toHaveLength(2);
    expect(await finish(job)).toMatchObject({ state: 'stopped', done: 2 });
  });

  it('stops when it is asked to before it has begun', async () => {
    await developers(2);
    const job = await start(deactivate);
    await consoleOf().jobs.stop(job.uuid, caller.actor.id);
    expect(await finish(job)).toMatchObject({ state: 'stopped', reason: 'asked', done: 0, skipped: 2 });
  });

  it('ends when a service that each record needs stays away', async () => {
    await developers(30);
    watch.before = (operation) => {
      if (operation === 'deactivateUser') throw new ServiceUnavailableError();
    };
    const job = await start(deactivate);
    expect(await finish(job)).toMatchObject({ state: 'stopped', reason: 'unavailable', failed: 20, skipped: 10 });
  });

  it('ends when the portal does not know the action any more', async () => {
    await developers(1);
    const job = await start(deactivate);
    await test.portal.database.execute("UPDATE portal_bulk_jobs SET action = 'gone' WHERE id = ?", [job.id]);
    expect(await finish(job)).toMatchObject({ state: 'failed', reason: 'unknown_action', skipped: 1 });
  });

  it('is not known for a resource or an action that nobody declared', async () => {
    await expect(start({ ...deactivate, action: 'delete' })).rejects.toMatchObject({ status: 404 });
    await expect(start({ ...deactivate, query: { filters: '{"nothing":1}' } })).rejects.toThrow(ValidationError);
  });
});

describe('the admin in whose name it works', () => {
  const permissions = ['portal.users.view', 'portal.users.update'];

  /** Starts a job of another admin for three developers, and lets something happen after the first. */
  async function interrupted(happens: (admin: number) => Promise<unknown>) {
    await developers(3);
    const other = await callerOf(test, permissions);
    const job = await start(deactivate, other);
    let count = 0;
    watch.before = async (operation) => {
      if (operation !== 'deactivateUser' || (count += 1) !== 1) return;
      await happens(other.actor.id);
      test.clock.advance(1);
    };
    return finish(job);
  }

  it('needs the permissions of the list and of the action to preview and to start', async () => {
    const viewer = await callerOf(test, ['portal.users.view']);
    await expect(consoleOf().jobs.preview(deactivate, viewer)).rejects.toThrow(ForbiddenError);
    await expect(start(deactivate, await callerOf(test, ['portal.users.update']))).rejects.toThrow(ForbiddenError);
  });

  it('is read anew for each record: without the permission the job stops', async () => {
    const { rbac } = test.portal.services;
    const job = await interrupted((adminId) => rbac.assignRoles({ adminId, roles: [], by: 'operator' }));
    expect(job).toMatchObject({ state: 'stopped', reason: 'permission', skipped: 2 });
    expect((await statuses()).filter((status) => status === 'active').length).toBeGreaterThanOrEqual(2);
  });

  it('is disabled, and the job stops', async () => {
    const sql = "UPDATE portal_admins SET status = 'inactive' WHERE id = ?";
    const job = await interrupted((id) => test.portal.database.execute(sql, [id]));
    expect(job).toMatchObject({ state: 'stopped', reason: 'account_disabled', done: 1, skipped: 2 });
  });

  it('is deleted, and the job is stopped by the system', async () => {
    const job = await interrupted(async (id) => {
      await test.portal.database.execute('DELETE FROM portal_admin_roles WHERE admin_id = ?', [id]);
      await test.portal.database.execute('DELETE FROM portal_admins WHERE id = ?', [id]);
    });
    expect(job).toMatchObject({ state: 'stopped', reason: 'account_gone' });
    expect((await actions('bulk_job.ended')).at(-1)).toMatchObject({ actor: null });
  });

  it('has all sign-ins ended, and what was started with them ends too', async () => {
    const { sessions } = test.portal.services.auth;
    const job = await interrupted((id) => sessions.revokeAll({ context: 'admin', id }, caller.request));
    expect(job).toMatchObject({ state: 'stopped', reason: 'signed_out', skipped: 2 });
  });

  it('has not signed in lately, whatever they did: no record gets through an operation that asks for that', async () => {
    await developers(1);
    watch.before = (operation, { actor }) => {
      if (operation === 'deactivateUser') test.portal.services.auth.guard.requireRecentSignIn(actor);
    };
    const job = await start(deactivate);
    expect(await finish(job)).toMatchObject({ state: 'done', done: 0, failed: 1 });
    expect((await results(job))[0]?.status).toBe(403);
    expect(await statuses()).toEqual(['active']);
  });

  it('sees and stops their own jobs; who passes every check those of everybody', async () => {
    await developers(1);
    const [one, other] = [await callerOf(test, permissions), await callerOf(test, permissions)];
    const job = await start(deactivate, one);
    await expect(consoleOf().jobs.find(job.uuid, other.actor.id)).rejects.toMatchObject({ status: 404 });
    await expect(consoleOf().jobs.stop(job.uuid, other.actor.id)).rejects.toMatchObject({ status: 404 });
    expect(await consoleOf().jobs.list(other.actor.id)).toEqual([]);
    expect((await consoleOf().jobs.list(caller.actor.id)).map(({ uuid }) => uuid)).toContain(job.uuid);
    expect(await consoleOf().jobs.find(job.uuid, caller.actor.id)).toMatchObject({ adminId: one.actor.id });
    await finish(job);
  });
});

describe('the process that works', () => {
  it('lets go of a job when it is to end, and another one goes on', async () => {
    await developers(4);
    const job = await start(deactivate);
    const stopping = new AbortController();
    watch.before = (operation) => {
      if (operation === 'deactivateUser') stopping.abort();
    };
    await consoleOf().worker.run(stopping.signal);
    expect(await consoleOf().jobs.find(job.uuid, caller.actor.id)).toMatchObject({ state: 'running', done: 1 });
    watch = {};
    expect(await finish(job)).toMatchObject({ state: 'done', done: 4 });
  });

  it('holds a job that no other replica takes, until it is silent for a minute', async () => {
    const second = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock, replicas: 1 });
    try {
      const seen: number[] = [];
      const note: PortWatch = {
        before: (operation, { params }) => void (operation === 'deactivateUser' && seen.push(Number(params?.id))),
      };
      second.portal.services.console.operations.connect(routePort(second, note), bulkActions);
      const [one, two, three] = await developers(3);
      const job = await start(deactivate);
      let release = () => undefined as void;
      let reached = () => undefined as void;
      const isReached = new Promise<void>((resolve) => (reached = resolve));
      watch.before = (operation, { params }) => {
        if (operation !== 'deactivateUser' || params?.id !== two?.id) return;
        reached();
        return new Promise<void>((resolve) => (release = resolve));
      };
      const first = test.portal.jobs.run('bulk');
      await isReached;
      await second.portal.jobs.run('bulk');
      expect(seen).toEqual([]);
      test.clock.advance(61);
      await second.portal.jobs.run('bulk');
      // The record in the middle of which the first one fell silent, and those after it.
      expect(seen).toEqual([two?.id, three?.id]);
      release();
      await first;
      expect(await consoleOf().jobs.find(job.uuid, caller.actor.id)).toMatchObject({
        state: 'done',
        done: 3,
        failed: 0,
      });
      expect(one).toBeDefined();
    } finally {
      await second.stop();
    }
  });

  it('shares out jobs: two replicas at once do each record once', async () => {
    const second = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock, replicas: 1 });
    try {
      const seen: string[] = [];
      const note = (operation: string, { request, params }: { request: { requestId: string }; params?: object }) =>
        void (operation === 'deactivateUser' && seen.push(`${request.requestId} ${JSON.stringify(params)}`));
      watch.before = note;
      second.portal.services.console.operations.connect(routePort(second, { before: note }), bulkActions);
      await developers(12);
      const jobs = [await start(deactivate), await start(deactivate), await start(deactivate)];
      await Promise.all([test.portal.jobs.run('bulk'), second.portal.jobs.run('bulk')]);
      expect(new Set(seen).size).toBe(seen.length);
      for (const { uuid } of jobs)
        expect(await consoleOf().jobs.find(uuid, caller.actor.id)).toMatchObject({ state: 'done', failed: 0 });
      expect(new Set(await statuses())).toEqual(new Set(['inactive']));
    } finally {
      await second.stop();
    }
  });

  it('forgets a job and what became of its records after a month', async () => {
    const count = async (table: string) =>
      Number(
        (await test.portal.database.select<{ rows: number }>(`SELECT COUNT(*) AS \`rows\` FROM ${table}`))[0]?.rows,
      );
    test.clock.advance(15 * 86_400);
    await developers(2);
    await finish(await start(deactivate));
    test.clock.advance(16 * 86_400);
    await test.portal.jobs.run('housekeeping');
    expect([await count('portal_bulk_jobs'), await count('portal_bulk_rows')]).toEqual([1, 2]);
  });
});
