import { setTimeout as pause } from 'node:timers/promises';
import { hourOf, usageHourRecord } from '../../src/domain/usage/usage.js';
import { folderWith, SECRETS } from '../config/support.js';
import { AdminClient } from '../support/admin-client.js';
import { createProduct, createUser } from '../support/factories.js';
import { FakeClock } from '../support/fake-clock.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Of each kind of people. */
const PEOPLE = 40;
/** Times at which a request is cut off. */
const ATTEMPTS = 8;
const KINDS = ['caller', 'watcher', 'muted', 'lost'] as const;
type Kind = (typeof KINDS)[number];

let test: TestPortal;
let root: string;
let serving: ServingPortal[] = [];
const people = new Map<Kind, { id: number; email: string }[]>();

beforeAll(async () => {
  // The portals that are killed go by the clock of the machine.
  const clock = new FakeClock(new Date(performance.timeOrigin + performance.now()).toISOString());
  // One issuer of tokens for all of them.
  const app = { key: SECRETS.APP_KEY, url: 'http://127.0.0.1' };
  const config = { app, portalApi: { jwtSecret: SECRETS.PORTAL_API_JWT_SECRET } };
  test = await startTestPortal({ clock, replicas: 1, config });
  const { audiences } = test.portal.services.catalog;
  for (const kind of KINDS) {
    people.set(kind, await Promise.all(Array.from({ length: PEOPLE }, () => createUser(test))));
  }
  const all = [...people.values()].flat().map(({ email }) => email);
  const beta = await audiences.create({ name: 'beta', users: all });
  const { id: productId } = await createProduct(test, { slug: 'payments', visibility: 'private', audiences: ['beta'] });
  await prepare(productId);
  const lost = of('lost').map(({ email }) => email);
  await audiences.update(beta.id, { users: all.filter((email) => !lost.includes(email)) });
  root = await folderWith({
    'portal.config.ts': "export default { app: { env: 'development', url: 'http://127.0.0.1' } };",
  });
}, 180_000);
// The run that ended with the test before counts for a minute.
beforeEach(() => releaseJob());
afterEach(async () => {
  await Promise.all(serving.map((portal) => portal.stop()));
  serving = [];
});
afterAll(() => test.stop());

const of = (kind: Kind) => people.get(kind) ?? [];

/** All but the watchers called the product; who is muted wants to hear nothing of it. */
async function prepare(productId: number): Promise<void> {
  const { services, database } = test.portal;
  const at = test.clock.now();
  for (const kind of ['caller', 'muted', 'lost'] as const) {
    for (const user of of(kind)) {
      const owner = await services.accounts.users.find(user.id);
      const input = { name: 'shop', displayName: 'Shop', description: '', products: ['payments'] };
      const { app, credentials } = await services.apps.apps.create(owner, input, { type: 'developer', id: user.id });
      const ids = { appId: app.id, credentialId: credentials?.[0]?.id ?? 0, productId };
      const row = { ...ids, planVersionId: null, outcome: 'allowed', calls: 9, hour: hourOf(at) } as const;
      await usageHourRecord.insert(database, { ...row, planVersionId: 0, lastAt: at.getTime() });
    }
  }
  for (const { id } of of('watcher')) await services.notices.watch(id, { id: productId }, ['breaking', 'deprecation']);
  for (const { id } of of('muted')) await services.notices.watch(id, { id: productId }, []);
}

async function serve(): Promise<ServingPortal> {
  const portal = await servePortal([], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });
  serving.push(portal);
  return portal;
}
async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await pause(5);
}
const count = async (sql: string) => Number((await test.portal.database.select<{ total: number }>(sql))[0]?.total);
const told = (change: number) =>
  count(`SELECT COUNT(*) AS total FROM portal_notices WHERE change_notice_id = ${change}`);
const queued = () => count("SELECT COUNT(*) AS total FROM portal_change_notices WHERE state = 'queued'");
/** The lease of a process that was killed, as if its ten minutes were over. */
const releaseJob = (name = 'change-notices') =>
  test.portal.database.execute('DELETE FROM portal_job_leases WHERE name = ?', [name]);

/** How often each kind of people got a mail of a template: for each number of mails how many people. */
async function mailed(template: string): Promise<Partial<Record<Kind, Record<number, number>>>> {
  const sql = 'SELECT recipient, COUNT(*) AS times FROM portal_mails WHERE template = ? GROUP BY recipient';
  const rows = await test.portal.database.select<{ recipient: string; times: number }>(sql, [template]);
  const times = new Map(rows.map((row) => [row.recipient, Number(row.times)]));
  const counted: Partial<Record<Kind, Record<number, number>>> = {};
  for (const kind of KINDS) {
    for (const { email } of of(kind)) {
      const got = times.get(email) ?? 0;
      counted[kind] = { ...counted[kind], [got]: (counted[kind]?.[got] ?? 0) + 1 };
    }
  }
  return counted;
}

describe('processes that are killed while they tell people of a change', () => {
  it.each([
    ['change-published', 'an entry of the changelog'],
    ['deprecation-announced', 'a deprecation'],
  ])(
    'mail exactly those whom it hits or who watch, once: %s',
    async (template) => {
      const admin = await AdminClient.create(test, ['catalog_manager']);
      const isEntry = template === 'change-published';
      const path = `/products/payments/${isEntry ? 'changes' : 'deprecations'}`;
      const drafted = await admin.post(path, isEntry ? { kind: 'breaking', name: 'Amounts are texts' } : {});
      const publish = `${path}/${drafted.json.data.id as number}/${isEntry ? 'publish' : 'announce'}`;
      expect((await admin.post(publish, { notice: true })).status).toBe(200);
      const change = await count('SELECT MAX(id) AS total FROM portal_change_notices');
      let cut = 0;
      for (const least of [1, 15, 30, 45, 60]) {
        const victim = await serve();
        await until(async () => (await told(change)) >= least || (await queued()) === 0);
        victim.process.kill('SIGKILL');
        await victim.ended;
        if ((await queued()) > 0) cut += 1;
        await releaseJob();
      }
      expect(cut).toBeGreaterThan(1);
      await serve();
      await until(async () => (await queued()) === 0);
      expect(await mailed(template)).toEqual({
        ...{ caller: { 1: PEOPLE }, watcher: { 1: PEOPLE } },
        ...{ muted: { 0: PEOPLE }, lost: { 0: PEOPLE } },
      });
      expect(await told(change)).toBe(2 * PEOPLE);
      const announced = "SELECT COUNT(*) AS total FROM portal_activities WHERE action = 'app.change_announced'";
      expect(await count(announced)).toBe(isEntry ? PEOPLE : 2 * PEOPLE);
    },
    240_000,
  );
});

describe('a process that is killed while it publishes a change', () => {
  it('has published it with what is to be told, or neither, and then tells exactly those whom it hits, once', async () => {
    await test.portal.database.execute('DELETE FROM portal_mails');
    const { token, post } = await AdminClient.create(test, ['catalog_manager']);
    const outcomes = new Set<string>();
    const drafts: number[] = [];
    let took = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const draft = await post('/products/payments/changes', { kind: 'breaking', name: `Change ${attempt}` });
      const id = draft.json.data.id as number;
      drafts.push(id);
      const path = `/products/payments/changes/${id}/publish`;
      const victim = await serve();
      const began = performance.now();
      const answer = fetch(`${victim.url}/api/v1/admin${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: '{"notice":true}',
      }).then(
        ({ status }) => status,
        () => null,
      );
      // The first one is answered; the others are cut off at eighths of the time that it took.
      await (attempt === 0 ? answer : Promise.race([answer, pause((took * attempt) / ATTEMPTS)]));
      if (attempt === 0) took = performance.now() - began;
      victim.process.kill('SIGKILL');
      await victim.ended;
      await releaseJob();
      const status = await answer;
      const state = await count(
        `SELECT COUNT(*) AS total FROM portal_changelog_entries WHERE id = ${id} AND published_at IS NOT NULL`,
      );
      expect(await count(`SELECT COUNT(*) AS total FROM portal_change_notices WHERE entry_id = ${id}`)).toBe(state);
      if (status !== null) expect([status, state]).toEqual([200, 1]);
      outcomes.add(`${state === 1 ? 'published' : 'draft'} ${status === null ? 'unanswered' : 'answered'}`);
      if (state === 0) expect((await post(path, { notice: true })).status).toBe(200);
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['published answered', 'draft unanswered']));
    await serve();
    await until(async () => (await queued()) === 0);
    expect(await mailed('change-published')).toEqual({
      ...{ caller: { [ATTEMPTS]: PEOPLE }, watcher: { [ATTEMPTS]: PEOPLE } },
      ...{ muted: { 0: PEOPLE }, lost: { 0: PEOPLE } },
    });
    for (const id of drafts) {
      const notices = `SELECT id AS total FROM portal_change_notices WHERE entry_id = ${id}`;
      expect(await told(await count(notices))).toBe(2 * PEOPLE);
    }
  }, 300_000);
});

describe('processes that are killed while they send digests', () => {
  it('mail everybody who wants one exactly one, with both changes', async () => {
    const { services, database, jobs } = test.portal;
    await database.execute('DELETE FROM portal_mails');
    for (const { id } of [...of('caller'), ...of('watcher')]) await services.changeMails.choose(id, 'daily');
    const { post } = await AdminClient.create(test, ['catalog_manager']);
    for (const name of ['One', 'Two']) {
      const draft = await post('/products/payments/changes', { kind: 'breaking', name });
      const path = `/products/payments/changes/${draft.json.data.id as number}/publish`;
      expect((await post(path, { notice: true })).status).toBe(200);
    }
    await jobs.run('change-notices');
    const due = () => count('SELECT COUNT(*) AS total FROM portal_change_mails WHERE digest_due_at IS NOT NULL');
    const states = async () => [
      await count("SELECT COUNT(*) AS total FROM portal_notices WHERE digest = 'waiting'"),
      await count("SELECT COUNT(*) AS total FROM portal_notices WHERE digest = 'sent'"),
    ];
    expect([await due(), await states(), await mailed('changes-digest')]).toMatchObject([
      2 * PEOPLE,
      [4 * PEOPLE, 0],
      { caller: { 0: PEOPLE } },
    ]);
    await database.execute('UPDATE portal_change_mails SET digest_due_at = updated_at');
    let cut = 0;
    for (const most of [79, 65, 50, 35, 20]) {
      await releaseJob('change-digests');
      const victim = await serve();
      await until(async () => (await due()) <= most);
      victim.process.kill('SIGKILL');
      await victim.ended;
      if ((await due()) > 0) cut += 1;
    }
    expect(cut).toBeGreaterThan(1);
    await releaseJob('change-digests');
    await Promise.all([serve(), serve()]);
    await until(async () => (await due()) === 0);
    expect(await mailed('changes-digest')).toEqual({
      ...{ caller: { 1: PEOPLE }, watcher: { 1: PEOPLE } },
      ...{ muted: { 0: PEOPLE }, lost: { 0: PEOPLE } },
    });
    expect([await states(), await mailed('change-published')]).toMatchObject([
      [0, 4 * PEOPLE],
      { caller: { 0: PEOPLE } },
    ]);
  }, 240_000);
});
