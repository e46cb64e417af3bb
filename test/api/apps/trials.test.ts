import { AdminClient } from '../../support/admin-client.js';
import { Developer } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
let count = 0;
const mailbox = new Mailbox();
const DAY_S = 86_400;
/** The clock begins on the 1st of June, at noon. */
const DAYS = 14;

interface Held {
  readonly slug: string;
  readonly plan: { slug: string };
  readonly trial: { ends_at: string; fallback_plan: { slug: string; name: string } } | null;
  readonly next_plan: { slug: string; status: string } | null;
  readonly status: string;
}

const planPath = (app: string, id: number, product: string) => `/${app}/credentials/${id}/products/${product}/plan`;

async function held(app: string, id: number): Promise<Held> {
  const { json } = await ada.get(`/${app}/credentials/${id}`);
  return json.data.products[0] as Held;
}

/** Advances the clock and lets the job run, some seconds later. */
async function wait(days: number): Promise<void> {
  test.clock.advance(days * DAY_S);
  await test.portal.jobs.run('plans');
  await ada.signInAgain();
  admin = await AdminClient.create(test);
}

/** A product of its own whose default plan is a trial. */
async function offer(): Promise<string> {
  count += 1;
  const slug = `product-${count}`;
  await createProduct(test, {
    slug,
    name: `Product ${count}`,
    plans: ['try', 'free', 'pro', 'big'],
    defaultPlan: 'try',
  });
  return slug;
}

/** The activities of trials. */
const happened = async () => {
  const { json } = await admin.get('/activities', { per_page: '100' });
  const actions = json.data.map(({ action }: { action: string }) => action) as string[];
  return actions.filter((action) => action.includes('trial'));
};

beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => mailbox } });
  admin = await AdminClient.create(test);
  await createPlan(test, { slug: 'free', name: 'Free' }, { quotaPerDay: 10 });
  await createPlan(test, { slug: 'pro', name: 'Pro' });
  await createPlan(test, { slug: 'big', name: 'Big', approval: 'manual' });
  await createPlan(test, { slug: 'try', name: 'Try', trialDays: DAYS, fallbackPlan: 'free' });
});
afterAll(() => test.stop());
beforeEach(async () => {
  test.clock.advance(1);
  ada = await Developer.create(test);
});

describe('a trial', () => {
  it('begins with the product and ends after its days, on the same key', async () => {
    const product = await offer();
    const { id, key } = await ada.createApp('shop', [product]);
    const begun = test.clock.now().getTime();
    const { plan, trial } = await held('shop', id);
    expect([plan.slug, trial?.fallback_plan]).toEqual(['try', { slug: 'free', name: 'Free' }]);
    expect(Date.parse(trial?.ends_at ?? '') - begun).toBe(DAYS * DAY_S * 1_000);
    await wait(DAYS - 0.001);
    expect((await held('shop', id)).plan.slug).toBe('try');
    await wait(0.001);
    expect(await held('shop', id)).toMatchObject({ plan: { slug: 'free' }, trial: null, next_plan: null });
    const revealed = await ada.post(`/shop/credentials/${id}/reveal`);
    expect(revealed.json.data.consumer_key).toBe(key);
  });

  it('is had once: by no new key, app or other trial of the same product', async () => {
    const product = await offer();
    const first = await ada.createApp('first', [product]);
    await wait(3);
    // While it runs, further keys join it and end with it.
    const second = await ada.createApp('second', [product]);
    expect((await held('second', second.id)).trial).toEqual((await held('first', first.id)).trial);
    await wait(DAYS);
    const third = await ada.createApp('third', [product]);
    expect((await held('third', third.id)).plan.slug).toBe('free');
    const again = { name: 'again', products: [{ slug: product, plan: 'try' }] };
    const refused = [
      await ada.post('', again),
      await ada.put(planPath('third', third.id, product), { plan: 'try' }),
      await admin.put(`/users/${ada.user.id}/apps${planPath('third', third.id, product)}`, { plan: 'try' }),
    ];
    expect(refused.map(({ status, text }) => [status, text.includes('has been used')])).toEqual(
      refused.map(() => [422, true]),
    );
    await ada.delete('/first');
    const retry = `retry-${product}`;
    await createPlan(test, { slug: retry, trialDays: 5, fallbackPlan: 'free' });
    await admin.put(`/products/${product}/plans`, { plans: ['free', retry] });
    expect((await ada.put(planPath('third', third.id, product), { plan: retry })).status).toBe(422);
    // Another product, or another developer, is another matter.
    const elsewhere = await ada.createApp('elsewhere', [await offer()]);
    expect((await held('elsewhere', elsewhere.id)).plan.slug).toBe('try');
    ada = await Developer.create(test);
    const theirs = await ada.createApp('theirs', [{ slug: product, plan: retry }]);
    expect((await held('theirs', theirs.id)).plan.slug).toBe(retry);
  });

  it('is told by mail three days before its end and at its end, once each', async () => {
    const product = await offer();
    await ada.createApp('told', [product]);
    await ada.createApp('twin', [product]);
    await mailbox.take(test, ada.user.email);
    await wait(DAYS - 4);
    expect(await mailbox.take(test, ada.user.email)).toEqual([]);
    await wait(1);
    await test.portal.jobs.run('plans');
    const [soon, ...none] = await mailbox.take(test, ada.user.email);
    expect([soon?.subject, none]).toEqual([expect.stringContaining('ends on'), []]);
    expect(soon?.text).toMatch(/app told tries Product \d+ with the plan Try until [^]*has the plan Free/);
    await wait(3);
    await test.portal.jobs.run('plans');
    const [over, ...more] = await mailbox.take(test, ada.user.email);
    expect([over?.text, more]).toEqual([expect.stringContaining('now has the plan Free'), []]);
    expect(await happened()).toEqual(expect.arrayContaining(['app.trial_ended', 'app.trial_ending']));
  });

  it('that was left for another plan ends silently, and leaves that plan alone', async () => {
    const product = await offer();
    const { id } = await ada.createApp('left', [product]);
    await ada.put(planPath('left', id, product), { plan: 'pro' });
    expect(await held('left', id)).toMatchObject({ plan: { slug: 'pro' }, trial: null });
    await mailbox.take(test, ada.user.email);
    await wait(DAYS + 1);
    expect((await held('left', id)).plan.slug).toBe('pro');
    expect(await mailbox.take(test, ada.user.email)).toEqual([]);
  });

  it('ends although another plan waits for approval, which then still may come', async () => {
    const product = await offer();
    const { id } = await ada.createApp('waiting', [product]);
    await ada.put(planPath('waiting', id, product), { plan: 'big' });
    await wait(DAYS);
    expect(await held('waiting', id)).toMatchObject({
      ...{ plan: { slug: 'free' }, trial: null },
      next_plan: { slug: 'big', status: 'pending' },
    });
    const path = `/users/${ada.user.id}/apps${planPath('waiting', id, product)}s/big/approve`;
    expect((await admin.post(path, {})).status).toBe(200);
    expect((await held('waiting', id)).plan.slug).toBe('big');
  });

  it('begins when the product is approved, and goes on with a rotated key', async () => {
    count += 1;
    const product = `product-${count}`;
    await createProduct(test, { slug: product, approval: 'manual', plans: ['try'] });
    const { id } = await ada.createApp('approved', [product]);
    await wait(5);
    expect(await held('approved', id)).toMatchObject({ status: 'pending', trial: null });
    await admin.post(`/users/${ada.user.id}/apps/approved/credentials/${id}/products/${product}/approve`, {});
    const { trial } = await held('approved', id);
    expect(Date.parse(trial?.ends_at ?? '')).toBe(test.clock.now().getTime() + DAYS * DAY_S * 1_000);
    const rotated = await ada.post(`/approved/credentials/${id}/rotate`);
    expect(rotated.json.data.products[0].trial).toEqual(trial);
  });

  it('is shown where plans are compared', async () => {
    const product = await offer();
    const { json } = await test.client.get(`/api/v1/api-products/${product}/plans`);
    expect(json.data.find(({ slug }: { slug: string }) => slug === 'try')).toMatchObject({
      trial_days: DAYS,
      fallback_plan: 'free',
    });
    expect((await test.client.get(`/portal/products/${product}`)).text).toMatch(/Try it for 14 days,[^]*Free/);
  });
});

describe('the terms of a trial', () => {
  it('are its days and the plan that comes then, which is none to try itself', async () => {
    await test.portal.services.catalog.plans.create({ slug: 'sketch', name: 'Sketch', approval: 'auto' });
    const faults: readonly (readonly [object, string])[] = [
      [{ trial_days: 5 }, 'fallback_plan'],
      [{ fallback_plan: 'free' }, 'fallback_plan'],
      [{ trial_days: 5, fallback_plan: 'nothing' }, 'fallback_plan'],
      [{ trial_days: 5, fallback_plan: 'sketch' }, 'fallback_plan'],
      [{ trial_days: 5, fallback_plan: 'try' }, 'fallback_plan'],
      [{ trial_days: 0, fallback_plan: 'free' }, 'trial_days'],
    ];
    for (const [body, field] of faults) {
      const { status, json } = await admin.post('/plans', { slug: 'faulty', name: 'Faulty', ...body });
      expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    }
    expect((await admin.put('/plans/free', { trial_days: 5, fallback_plan: 'free' })).status).toBe(422);
    expect((await admin.put('/plans/free', { trial_days: 5, fallback_plan: 'pro' })).status).toBe(422);
    expect((await admin.delete('/plans/free')).status).toBe(409);
  });

  it('may be taken from a plan: who tries it keeps it', async () => {
    await createPlan(test, { slug: 'brief', trialDays: 5, fallbackPlan: 'free' });
    count += 1;
    const product = `product-${count}`;
    await createProduct(test, { slug: product, plans: ['brief'] });
    const { id } = await ada.createApp('kept', [product]);
    const changed = await admin.put('/plans/brief', { trial_days: null, fallback_plan: null });
    expect([changed.status, changed.json.data]).toMatchObject([200, { trial_days: null, fallback_plan: null }]);
    await wait(6);
    expect(await held('kept', id)).toMatchObject({ plan: { slug: 'brief' }, trial: null });
  });
});
