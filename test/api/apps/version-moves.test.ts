import type { BulkJob } from '../../../src/domain/console/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { callerOf } from '../../support/route-port.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
let tokens = 0;
const mailbox = new Mailbox();
/** The clock begins on the 1st of June, at noon. */
const JULY = '2026-07-01T00:00:00.000Z';

const keyPath = (app: string, id: number) => `/users/${ada.user.id}/apps/${app}/credentials/${id}`;
const move = (app: string, id: number, body: object) => admin.post(`${keyPath(app, id)}/move-plan`, body);

/** Versions of the present and the next plan of the first product: `1 → 2`. */
async function versions(app: string, id: number): Promise<string> {
  const { json } = await admin.get(keyPath(app, id));
  const [{ plan, next_plan: next }] = json.data.products;
  return next ? `${plan.version} → ${next.version}` : `${plan.version}`;
}

async function activateAnother(slug: string): Promise<void> {
  const { plans, planVersions } = test.portal.services.catalog;
  await planVersions.activate(await planVersions.create(await plans.find(slug), { quotaPerDay: 50 }));
}

/** All keys that have an older version of the plan, by a job of the console. */
async function moveAll(plan: string, body: object = {}): Promise<BulkJob> {
  const caller = await callerOf(test);
  const { jobs } = test.portal.services.console;
  const query = { filters: JSON.stringify({ outdated_plan: plan }) };
  const choice = { resource: 'keys', action: 'move-plan', query, body: { plan, ...body } };
  const job = await jobs.start(choice, `token${(tokens += 1)}`, caller);
  await test.portal.jobs.run('bulk');
  return jobs.find(job.uuid, caller.actor.id);
}

const happened = async (action: string) => {
  const { json } = await admin.get('/activities', { filters: JSON.stringify({ action }), per_page: '100' });
  return json.data.length as number;
};

beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => mailbox } });
  admin = await AdminClient.create(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  test.clock.advance(1);
  ada = await Developer.create(test);
});

describe('moving keys of older versions', () => {
  it('gives all of them the active version, by a job, and touches no other key', async () => {
    await createPlan(test, { slug: 'basic' }, { quotaPerDay: 10 });
    await createPlan(test, { slug: 'other' });
    await createProduct(test, { slug: 'maps', plans: ['basic', 'other'] });
    const [one, two] = [await ada.createApp('one', ['maps']), await ada.createApp('two', ['maps'])];
    const else_ = await ada.createApp('else', [{ slug: 'maps', plan: 'other' }]);
    const closed = await ada.createApp('closed', ['maps']);
    await ada.post(`/closed/credentials/${closed.id}/revoke`);
    await activateAnother('basic');
    await activateAnother('other');
    // Edits never move anybody by themselves.
    expect([await versions('one', one.id), await versions('two', two.id)]).toEqual(['1', '1']);
    expect(await moveAll('basic')).toMatchObject({ state: 'done', total: 2, done: 2, failed: 0 });
    expect([await versions('one', one.id), await versions('two', two.id)]).toEqual(['2', '2']);
    expect([await versions('else', else_.id), await versions('closed', closed.id)]).toEqual(['1', '1']);
    expect(await moveAll('basic')).toMatchObject({ state: 'done', total: 0 });
  });

  it('on a date announces it to the developers, who cannot put it off, and does it then', async () => {
    await createPlan(test, { slug: 'dated' }, { quotaPerDay: 10 });
    await createProduct(test, { slug: 'news', plans: ['dated'] });
    const { id } = await ada.createApp('dated', ['news']);
    await activateAnother('dated');
    expect(await moveAll('dated', { at: '2026-07-01' })).toMatchObject({ done: 1 });
    expect(await versions('dated', id)).toBe('1 → 2');
    const [mail] = await mailbox.take(test, ada.user.email);
    expect(mail?.text).toMatch(/Jul 1, 2026[^]*dated v2/);
    expect((await ada.post(`/dated/credentials/${id}/products/news/plans/dated/withdraw`)).status).toBe(409);
    test.clock.advance((Date.parse(JULY) - test.clock.now().getTime()) / 1_000);
    admin = await AdminClient.create(test);
    await test.portal.jobs.run('plans');
    expect(await versions('dated', id)).toBe('2');
  });

  it('does nothing the second time, as when the process of the job died in the middle of a key', async () => {
    await createPlan(test, { slug: 'twice' });
    await createProduct(test, { slug: 'twice', plans: ['twice'] });
    const { id } = await ada.createApp('twice', ['twice']);
    await activateAnother('twice');
    const at = '2026-12-01T00:00Z';
    const before = [await happened('credential.plan_requested'), await happened('credential.plan_changed')];
    for (let time = 0; time < 2; time += 1) expect((await move('twice', id, { plan: 'twice', at })).status).toBe(200);
    for (let time = 0; time < 2; time += 1) expect((await move('twice', id, { plan: 'twice' })).status).toBe(200);
    expect(await versions('twice', id)).toBe('2');
    const after = [await happened('credential.plan_requested'), await happened('credential.plan_changed')];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
  });

  it('leaves another plan that is to come: now it still does, on a date that one is in the way', async () => {
    await createPlan(test, { slug: 'small' }, { quotaPerMonth: 10 });
    await createPlan(test, { slug: 'large', approval: 'manual' });
    await createProduct(test, { slug: 'geo', plans: ['small', 'large'] });
    const { id } = await ada.createApp('ahead', ['geo']);
    await ada.put(`/ahead/credentials/${id}/products/geo/plan`, { plan: 'large' });
    await activateAnother('small');
    const dated = await move('ahead', id, { plan: 'small', at: '2027-01-01' });
    expect([dated.status, Object.keys(dated.json.errors)]).toEqual([409, ['plan']]);
    expect((await move('ahead', id, { plan: 'small' })).status).toBe(200);
    const { json } = await ada.get(`/ahead/credentials/${id}`);
    expect(json.data.products[0]).toMatchObject({
      plan: { slug: 'small', version: 2 },
      next_plan: { slug: 'large', status: 'pending' },
    });
  });

  it('is refused for a plan that there is not, a draft, and without the right to change apps', async () => {
    await createProduct(test, { slug: 'plain' });
    const { id } = await ada.createApp('plain', ['plain']);
    await test.portal.services.catalog.plans.create({ slug: 'sketch', name: 'Sketch', approval: 'auto' });
    for (const plan of ['nothing', 'sketch']) expect((await move('plain', id, { plan })).status).toBe(422);
    const catalog = await AdminClient.create(test, ['catalog_manager']);
    expect((await catalog.post(`${keyPath('plain', id)}/move-plan`, { plan: 'sketch' })).status).toBe(403);
    expect((await move('plain', id, { plan: 'twice' })).status).toBe(200);
  });
});
