import { AudienceCreatedEvent } from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createAdmin, createRole, createUser, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let page: PageClient;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  admin = await AdminClient.create(test);
  const { email } = await createAdmin(test, { roles: ['super_admin'] });
  page = new PageClient(test.client);
  await page.submit('/admin/login', { email, password: PASSWORD });
});
afterAll(() => test.stop());

const sql = (statement: string, values: readonly (string | number | null)[] = []) =>
  test.portal.database.execute(statement, values);
const check = () => test.portal.services.activities.check;
const state = async () => (await admin.get('/activities/chain')).json.data;

async function announce(count: number): Promise<void> {
  const { database, events } = test.portal;
  const createdAt = test.clock.now();
  const audience = { id: 1, name: 'partners', description: '', createdAt, updatedAt: createdAt };
  await database.transaction(async (transaction) => {
    for (let index = 0; index < count; index += 1)
      await events.emit(new AudienceCreatedEvent({ audience, occurredAt: createdAt }), transaction);
  });
}

/** Tells a run after its first batch that the process ends. */
function stopAfterBatch(): AbortSignal {
  let asked = 0;
  return {
    get aborted() {
      asked += 1;
      return asked > 1;
    },
  } as AbortSignal;
}

async function rewrite(id: number, action: string): Promise<void> {
  await sql('DROP TRIGGER portal_activities_no_update');
  await sql('UPDATE portal_activities SET action = ? WHERE id = ?', [action, id]);
  await test.portal.services.activities.guard.establish();
}
const actionOf = async (id: number) => {
  const rows = await test.portal.database.select<{ action: string }>(
    'SELECT action FROM portal_activities WHERE id = ?',
    [id],
  );
  return rows[0]?.action ?? '';
};

describe('the job that verifies the activity log', () => {
  it('has verified nothing at first, then says until which entry, when it happened and when it looked', async () => {
    expect(await state()).toMatchObject({ state: 'unverified', verified: null, fault: null, position: 0 });
    expect((await page.get('/admin/activities')).html).toContain('Not yet verified as a whole');
    const happened = test.clock.now();
    await announce(1);
    const { last_id } = await state();
    test.clock.advance(60);
    await test.portal.jobs.run('verify-activities');
    const whole = await state();
    expect(whole).toEqual({
      ...{ state: 'whole', fault: null, position: 0, last_id },
      verified: { id: last_id, until: happened.toISOString(), at: test.clock.now().toISOString() },
    });
    expect((await page.get('/admin/activities')).html).toMatch(/Verified until entry \d+ of .*: as it was written\./);
  });

  it('goes on where it stopped, and says that all is whole once it has met the end', async () => {
    const before = await state();
    await announce(1_500);
    await check().run(stopAfterBatch());
    expect(await state()).toMatchObject({ state: 'whole', verified: before.verified, position: 1_000 });
    // What it has read already is not read again in the same pass.
    const first = await actionOf(1);
    await rewrite(1, 'x.y');
    await check().run();
    const after = await state();
    expect([after.state, after.verified.id, after.position]).toEqual(['whole', after.last_id, 0]);
    // The next pass begins at the beginning.
    await check().run();
    expect(await state()).toMatchObject({ state: 'broken', fault: { id: 1 }, verified: after.verified });
    await rewrite(1, first);
    await check().run();
    expect(await state()).toMatchObject({ state: 'whole', fault: null });
  });

  it('names the first entry that was changed and since when that is known, also in the console', async () => {
    const action = await actionOf(5);
    await rewrite(5, 'x.y');
    const found = test.clock.now().toISOString();
    await check().run();
    test.clock.advance(600);
    await check().run();
    const reason = 'it was changed, or not written by the portal';
    expect(await state()).toMatchObject({ state: 'broken', fault: { id: 5, reason, found_at: found } });
    const { html } = await page.get('/admin/activities');
    expect(html).toContain('Entry 5 is not as it was written.');
    expect(html).toContain(reason);
    await rewrite(5, action);
    await check().run();
  });

  it('accepts an erasure whose deletion comes in a later part, and no other', async () => {
    const user = await createUser(test, { email: 'erased@example.com' });
    await signIn(test, user);
    await check().run();
    await announce(1_100);
    await test.portal.services.accounts.users.delete(user.id);
    await check().run(stopAfterBatch());
    await check().run(stopAfterBatch());
    expect((await state()).fault).toBeNull();
    await check().run();
    expect(await state()).toMatchObject({ state: 'whole' });
  });

  it('goes on after what it had read was pruned, and notices an end that was cut off', async () => {
    await check().run(stopAfterBatch());
    expect((await state()).position).toBe(1_000);
    test.clock.advance(1);
    await announce(2);
    await test.portal.services.activities.pruner.prune(test.clock.now());
    await check().run();
    expect(await state()).toMatchObject({ state: 'whole' });
    const [head] = await test.portal.database.select<{ id: number; hash: string }>(
      'SELECT last_id AS id, last_hash AS hash FROM portal_activity_chain',
    );
    await sql('UPDATE portal_activity_chain SET last_id = last_id - 1');
    await check().run();
    expect((await state()).state).toBe('broken');
    await sql('UPDATE portal_activity_chain SET last_id = ?', [head?.id ?? 0]);
    await check().run();
    expect((await state()).state).toBe('whole');
  });

  it('believes no result that somebody wrote into the database', async () => {
    await sql('UPDATE portal_activity_checks SET verified_id = 999999');
    expect(await state()).toMatchObject({ state: 'unverified', verified: null });
    await check().run();
    expect((await state()).state).toBe('whole');
  });

  it('is read with portal.activities.view only', async () => {
    const role = await createRole(test, ['portal.admin.access', 'portal.users.view']);
    const token = await signIn(test, await createAdmin(test, { roles: [role] }));
    expect((await test.client.get('/api/v1/admin/activities/chain', { token })).status).toBe(403);
  });
});
