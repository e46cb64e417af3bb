import { Developer } from '../support/apps.js';
import { createProduct, createUser } from '../support/factories.js';
import { callerOf } from '../support/route-port.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } }, replicas: 1 });
  await createProduct(test, { slug: 'payments' });
});
afterAll(() => test.stop());

const jobs = () => test.portal.services.console.jobs;
let tokens = 0;
async function run(resource: string, action: string, query: Record<string, string>, body?: unknown) {
  const caller = await callerOf(test);
  const choice = { resource, action, query, ...(body !== undefined && { body }) };
  const job = await jobs().start(choice, `token${(tokens += 1)}`, caller);
  await test.portal.jobs.run('bulk');
  return jobs().find(job.uuid, caller.actor.id);
}

describe('a declared action of the console', () => {
  it('is done to many developers by the operation of the API', async () => {
    for (let count = 0; count < 3; count += 1) await createUser(test, { status: 'pending', lastName: 'Crowd' });
    const job = await run('users', 'activate', { filters: '{"last_name":"Crowd"}', order_by: 'email', page: '2' });
    expect(job).toMatchObject({ state: 'done', total: 3, done: 3, operation: 'activateUser' });
    expect(job.query).toEqual({ filters: '{"last_name":"Crowd"}' });
  });

  it('finds the path of each app, and gives each the same reason', async () => {
    for (const name of ['one', 'two']) {
      const developer = await Developer.create(test);
      await developer.createApp(name, ['payments']);
    }
    const waiting = { filters: '{"status":"pending"}' };
    expect(await run('apps', 'approve', waiting, { reason: 'Welcome.' })).toMatchObject({
      state: 'done',
      done: 2,
      failed: 0,
    });
    const rows = await test.portal.database.select<{ status: string }>('SELECT status FROM portal_apps');
    expect(rows.map(({ status }) => status)).toEqual(['approved', 'approved']);
    await expect(run('apps', 'approve', waiting, { raeson: 'x' })).rejects.toMatchObject({ status: 422 });
  });

  it('is none for many records unless it says so, nor of a resource that nobody declared', async () => {
    for (const [resource, action] of [
      ['users', 'unlock'],
      ['users', 'delete'],
      ['nothing', 'activate'],
    ] as const) {
      await expect(run(resource, action, {})).rejects.toMatchObject({ status: 404 });
    }
  });

  it('makes what a file says, through the same operations', async () => {
    const caller = await callerOf(test);
    const { imports } = test.portal.services.console;
    const { email } = await createUser(test);
    const { job, mapping } = await imports.upload(
      'apps',
      Buffer.from(`owner,name\n${email},imported\n`),
      'file',
      caller,
    );
    expect(await imports.dryRun(job.uuid, mapping, caller.actor)).toMatchObject({ total: 1, valid: 1 });
    await imports.start(job.uuid, mapping, caller);
    await test.portal.jobs.run('bulk');
    expect(await jobs().find(job.uuid, caller.actor.id)).toMatchObject({ state: 'done', done: 1 });
  });
});
