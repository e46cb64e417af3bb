import type { PortalConfigInput } from '../../../src/config/index.js';
import type { PlanInput, PlanLimits } from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { Developer, readKeyAccess, verify } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { flushUsage } from '../../support/usage.js';

let test: TestPortal;
let admin: AdminClient;
let ada: Developer;
const mailbox = new Mailbox();

/** Quotas by the month: a period ends at the beginning of July. The clock begins on the 1st of June, at noon. */
const MONTHLY = { quotaPerMonth: 1_000 };
const JULY = '2026-07-01T00:00:00.000Z';

async function start(apps: PortalConfigInput['apps'] = {}): Promise<void> {
  test = await startTestPortal({ config: { apps }, extensions: { mailer: () => mailbox } });
  admin = await AdminClient.create(test);
  ada = await Developer.create(test, { email: 'ada@example.com' });
}

/** A product that offers these plans, the first one by default. */
async function offer(slug: string, plans: Record<string, Partial<PlanInput> & { limits?: Partial<PlanLimits> }>) {
  for (const [plan, { limits = MONTHLY, ...input }] of Object.entries(plans))
    await createPlan(test, { slug: plan, ...input }, limits);
  await createProduct(test, { slug, plans: Object.keys(plans) });
}

interface Held {
  readonly plan: { slug: string; version: number; quota_per_month: number | null } | null;
  readonly next_plan: { slug: string; version: number; status: string; at: string; asked_by: string } | null;
  readonly status: string;
}

async function held(app: string, product: string): Promise<Held> {
  const { json } = await ada.get(`/${app}`);
  const [credential] = json.data.credentials as { products: (Held & { slug: string })[] }[];
  return credential?.products.find(({ slug }) => slug === product) as Held;
}

/** The plan that the gateway keeps for a product on a key: `pro v1`. */
async function atGateway(credential: number, product: string): Promise<string | null> {
  const { database } = test.portal;
  const [grant] = await database.select<{ plan: string | null }>(
    `SELECT g.plan AS plan FROM portal_gateway_key_products g JOIN portal_gateway_keys k ON k.id = g.key_id
     JOIN portal_products p ON p.gateway_product_id = g.product WHERE k.portal_id = ? AND p.slug = ?`,
    [String(credential), product],
  );
  return nameOf(Number(grant?.plan?.split('.')[0] ?? 0));
}

async function nameOf(versionId: number): Promise<string | null> {
  const [version] = await test.portal.database.select<{ slug: string; number: number }>(
    `SELECT pl.slug AS slug, pv.number AS number FROM portal_plan_versions pv
     JOIN portal_plans pl ON pl.id = pv.plan_id WHERE pv.id = ?`,
    [versionId],
  );
  return version ? `${version.slug} v${version.number}` : null;
}

const planPath = (id: number, product: string) => `/shop/credentials/${id}/products/${product}/plan`;
const adminPath = (id: number, product: string) => `/users/${ada.user.id}/apps${planPath(id, product)}`;
const actions = async () =>
  (await admin.get('/activities', { per_page: '100' })).json.data.map(({ action }: { action: string }) => action);

describe('a product on a key', () => {
  beforeAll(() => start());
  afterAll(() => test.stop());
  beforeEach(() => void test.clock.advance(1));

  it('has no plan and no limits where the product offers none', async () => {
    await createProduct(test, { slug: 'plain' });
    const { id, key } = await ada.createApp('plain', ['plain']);
    expect(await held('plain', 'plain')).toMatchObject({ plan: null, next_plan: null, status: 'approved' });
    expect([await atGateway(id, 'plain'), await readKeyAccess(test, key, 'plain')]).toEqual([null, 'open']);
    await createPlan(test, { slug: 'late' });
    await admin.put('/products/plain/plans', { plans: ['late'] });
    // What was there before the plans works on as it did.
    expect(await held('plain', 'plain')).toMatchObject({ plan: null });
    expect(await readKeyAccess(test, key, 'plain')).toBe('open');
    const rotated = await ada.post(`/plain/credentials/${id}/rotate`);
    expect(rotated.json.data.products[0].plan).toBeNull();
  });

  it('gets the default plan, or the one that is named', async () => {
    await offer('maps', { free: { limits: { quotaPerDay: 10 } }, pro: {} });
    const first = await ada.createApp('default', ['maps']);
    expect((await held('default', 'maps')).plan).toMatchObject({ slug: 'free', version: 1, quota_per_month: null });
    expect(await atGateway(first.id, 'maps')).toBe('free v1');
    const made = await ada.post('', { name: 'named', products: [{ slug: 'maps', plan: 'pro' }] });
    const [credential] = made.json.data.credentials;
    expect(credential.products[0].plan).toMatchObject({ slug: 'pro', quota_per_month: 1_000 });
    const another = await ada.post('/named/credentials', { products: [{ slug: 'maps', plan: 'free' }] });
    // The plan belongs to the product on a key, not to the app.
    expect(another.json.data.products[0].plan.slug).toBe('free');
    await createProduct(test, { slug: 'tiles', plans: ['free', 'pro'] });
    const added = await ada.post(`/named/credentials/${credential.id}/products`, {
      products: [{ slug: 'tiles', plan: 'pro' }],
    });
    expect(added.json.data.products.map(({ plan }: Held) => plan?.slug)).toEqual(['pro', 'pro']);
  });

  it('keeps its plan when the app is written back, and gets one with what is added to it', async () => {
    await createProduct(test, { slug: 'news', plans: ['free', 'pro'] });
    await ada.post('', { name: 'whole', products: [{ slug: 'maps', plan: 'pro' }] });
    const { json } = await ada.get('/whole');
    const products = [...json.data.products, { slug: 'news', plan: 'pro' }];
    const changed = await ada.put('/whole', { ...json.data, products });
    expect(changed.status).toBe(200);
    for (const product of ['maps', 'news']) expect((await held('whole', product)).plan?.slug).toBe('pro');
  });

  it('keeps its plan, what is to come and its anchor on a rotated key', async () => {
    const { id } = await ada.createApp('rotating', ['maps']);
    await ada.put(`/rotating/credentials/${id}/products/maps/plan`, { plan: 'pro', when: 'period_end' });
    test.clock.advance(86_400);
    await ada.signInAgain();
    admin = await AdminClient.create(test);
    const rotated = await ada.post(`/rotating/credentials/${id}/rotate`);
    const [product] = rotated.json.data.products;
    expect([product.plan.slug, product.next_plan.slug]).toEqual(['free', 'pro']);
    expect(await atGateway(rotated.json.data.id, 'maps')).toBe('free v1');
    const days = await test.portal.database.select<{ day: number }>(
      'SELECT plan_day AS day FROM portal_credential_products WHERE credential_id IN (?, ?)',
      [id, rotated.json.data.id],
    );
    expect(days).toEqual([{ day: 1 }, { day: 1 }]);
  });

  it('is counted under its plan', async () => {
    const { key } = await ada.createApp('counted', ['maps']);
    await verify(test, key, 'maps');
    await flushUsage(test);
    const [row] = await test.portal.database.select<{ plan: number }>(
      "SELECT plan_version_id AS plan FROM portal_usage_hours WHERE outcome = 'allowed' AND plan_version_id > 0",
    );
    expect(await nameOf(Number(row?.plan))).toBe('free v1');
  });

  it('is refused a plan that is not offered, a draft, archived, or for others', async () => {
    const { plans } = test.portal.services.catalog;
    await test.portal.services.catalog.audiences.create({ name: 'Partners' });
    await createPlan(test, { slug: 'partner', audiences: ['Partners'] });
    await createPlan(test, { slug: 'elsewhere' });
    await plans.create({ slug: 'draft', name: 'Draft', approval: 'auto' });
    const old = await createPlan(test, { slug: 'old' });
    await createProduct(test, { slug: 'shown', plans: ['free', 'partner', 'draft', 'old'] });
    await plans.archive(old.id);
    const { id } = await ada.createApp('refused', ['shown']);
    const answers = [];
    for (const plan of ['partner', 'draft', 'old', 'elsewhere', 'nothing']) {
      const product = { slug: 'shown', plan };
      const refused = [
        await ada.post('', { name: `r-${plan}`, products: [product] }),
        await ada.post('/refused/credentials', { products: [product] }),
        await ada.put(`/refused/credentials/${id}/products/shown/plan`, { plan }),
        await ada.put(`/refused/credentials/${id}/products/shown/plan`, { plan, when: 'period_end' }),
      ];
      for (const { status, json } of refused) answers.push([status, json.errors.products]);
    }
    // Whether there is such a plan is nobody's business.
    expect([...new Set(answers.map((answer) => JSON.stringify(answer)))]).toEqual([
      JSON.stringify([422, ['The product "shown" does not offer this plan.']]),
    ]);
    expect(await held('refused', 'shown')).toMatchObject({ plan: { slug: 'free' }, next_plan: null });
  });

  it('is not to be had without a plan, where none of the plans is for this developer', async () => {
    await createProduct(test, { slug: 'closed', plans: ['partner'] });
    const { status, json } = await ada.post('', { name: 'closed', products: ['closed'] });
    expect([status, json.errors.products]).toEqual([422, ['None of the plans of "closed" is for this developer.']]);
    await createProduct(test, { slug: 'half', plans: ['partner', 'free'] });
    const half = await ada.post('', { name: 'half', products: ['half'] });
    expect(half.json.errors.products).toEqual(['The product "half" needs a plan. Choose one of those that it offers.']);
  });

  it('keeps its plan when nobody may have it any more', async () => {
    const { id } = await ada.createApp('kept', [{ slug: 'maps', plan: 'pro' }]);
    const offer = async (plans: string[]) => {
      for (const slug of ['maps', 'tiles', 'news']) await admin.put(`/products/${slug}/plans`, { plans });
    };
    await offer(['free']);
    expect((await held('kept', 'maps')).plan?.slug).toBe('pro');
    expect((await ada.put(`/kept/credentials/${id}/products/maps/plan`, { plan: 'pro' })).status).toBe(422);
    expect((await admin.delete('/plans/pro')).json.errors).toEqual({
      credentials: ['Keys have this plan. To offer it to nobody new, archive it.'],
    });
    await offer(['free', 'pro']);
  });

  it('stays on the version that it has when another is activated', async () => {
    const { id } = await ada.createApp('steady', ['maps']);
    await admin.post('/plans/free/versions', { quota_per_day: 5 });
    await admin.post('/plans/free/versions/2/activate');
    expect([(await held('steady', 'maps')).plan?.version, await atGateway(id, 'maps')]).toEqual([1, 'free v1']);
    const newer = await ada.createApp('newer', ['maps']);
    expect(await atGateway(newer.id, 'maps')).toBe('free v2');
    await ada.put(`/steady/credentials/${id}/products/maps/plan`, { plan: 'free' });
    expect(await atGateway(id, 'maps')).toBe('free v2');
  });
});

describe('the lifetime of a plan', () => {
  beforeAll(async () => {
    await start({ keyLifetime: 100_000 });
    await offer('maps', { free: {}, trial: { keyLifetime: 3_600 } });
  });
  afterAll(() => test.stop());

  it('ends new keys, and is never outlived', async () => {
    const made = await ada.post('', { name: 'shop', products: [{ slug: 'maps', plan: 'trial' }] });
    const [credential] = made.json.data.credentials;
    expect(credential.expires_at).toBe('2026-06-01T13:00:00.000Z');
    const longer = { products: [{ slug: 'maps', plan: 'trial' }], expires_in: 3_601 };
    expect(Object.keys((await ada.post('/shop/credentials', longer)).json.errors)).toEqual(['expires_in']);
    const rotated = await ada.post(`/shop/credentials/${credential.id}/rotate`, { expires_in: 3_601 });
    expect(Object.keys(rotated.json.errors)).toEqual(['expires_in']);
    const free = await ada.post('/shop/credentials', { products: ['maps'] });
    const { id } = free.json.data;
    for (const when of ['now', 'period_end']) {
      const { status, json } = await ada.put(planPath(id, 'maps'), { plan: 'trial', when });
      expect([status, Object.keys(json.errors)]).toEqual([422, ['products']]);
    }
    await createProduct(test, { slug: 'tiles', plans: ['trial'] });
    expect((await ada.post(`/shop/credentials/${id}/products`, { products: ['tiles'] })).status).toBe(422);
    expect((await ada.put('/shop', { products: ['maps', 'tiles'] })).status).toBe(422);
  });
});

interface Change {
  readonly from: string;
  readonly to: string;
  readonly approval: 'auto' | 'manual';
  readonly when: 'now' | 'period_end';
}

const CHANGES: Change[] = ['small', 'large'].flatMap((from) =>
  (['auto', 'manual'] as const).flatMap((approval) =>
    (['now', 'period_end'] as const).map((when) => ({
      ...{ from, to: `${from === 'small' ? 'large' : 'small'}-${approval}`, approval, when },
    })),
  ),
);

describe('another plan', () => {
  let id: number;
  let key: string;
  beforeEach(async () => {
    await start();
    await offer('maps', {
      ...{ small: {}, large: { limits: { quotaPerMonth: 9_000 } } },
      ...{ 'small-auto': {}, 'small-manual': { approval: 'manual' } },
      ...{ 'large-auto': {}, 'large-manual': { approval: 'manual' } },
    });
  });
  afterEach(() => test.stop());

  const begin = async (from: string) => {
    ({ id, key } = await ada.createApp('shop', [{ slug: 'maps', plan: from }]));
  };
  const change = (plan: string, when?: string) => ada.put(planPath(id, 'maps'), { plan, ...(when && { when }) });
  const state = async () => {
    const { plan, next_plan: next } = await held('shop', 'maps');
    return [plan?.slug, next && `${next.slug} ${next.status} ${next.at}`, await atGateway(id, 'maps')];
  };
  const due = () => test.portal.jobs.run('plans');

  it.each(CHANGES)('from $from to $to, $when', async ({ from, to, approval, when }) => {
    await begin(from);
    const now = test.clock.now().toISOString();
    expect((await change(to, when)).status).toBe(200);
    const old = [from, `${from} v1`];
    const at = when === 'now' ? now : JULY;
    if (approval === 'manual') {
      expect(await state()).toEqual([old[0], `${to} pending ${at}`, old[1]]);
      await due();
      const { json } = await admin.get('/waiting', { filters: '{"kind":"plan"}' });
      expect(json.data).toMatchObject([{ kind: 'plan', plan: { slug: to }, waiting_since: now }]);
      const { params } = json.data[0].approve;
      const path = `/users/${params.user}/apps/${params.appName}/credentials/${params.id}`;
      const approved = await admin.post(`${path}/products/${params.product}/plans/${params.plan}/approve`);
      expect(approved.status).toBe(200);
    }
    if (when === 'period_end') {
      expect(await state()).toEqual([old[0], `${to} approved ${JULY}`, old[1]]);
      await due();
      expect((await state())[0]).toBe(from);
      test.clock.advance((new Date(JULY).getTime() - test.clock.now().getTime()) / 1000);
      await due();
      await ada.signInAgain();
    }
    expect(await state()).toEqual([to, null, `${to} v1`]);
    expect(await readKeyAccess(test, key, 'maps')).toBe('open');
  });

  it('that waits past its time comes with the approval', async () => {
    await begin('small');
    await change('large-manual', 'period_end');
    test.clock.advance(31 * 86_400);
    await due();
    await ada.signInAgain();
    admin = await AdminClient.create(test);
    expect((await state())[0]).toBe('small');
    await admin.post(`${adminPath(id, 'maps')}s/large-manual/approve`);
    expect(await state()).toEqual(['large-manual', null, 'large-manual v1']);
  });

  it('that asks for approval is never had without one', async () => {
    await begin('small');
    await change('large-manual');
    const approve = `${planPath(id, 'maps')}s/large-manual/approve`;
    expect((await ada.post(approve)).status).toBe(403);
    // Neither by way of another plan, nor of the product, the key or a repetition.
    await change('small-auto');
    expect(await state()).toEqual(['small-auto', null, 'small-auto v1']);
    await change('large-manual', 'period_end');
    await change('large-manual');
    await ada.post(`/shop/credentials/${id}/products/maps/revoke`);
    await ada.post(`/shop/credentials/${id}/products/maps/approve`);
    await due();
    const rotated = await ada.post(`/shop/credentials/${id}/rotate`);
    await due();
    expect(rotated.json.data.products[0].plan.slug).toBe('small-auto');
    expect((await state())[0]).toBe('small-auto');
    await ada.delete(`/shop/credentials/${id}/products/maps`);
    const again = await ada.post(`/shop/credentials/${id}/products`, {
      products: [{ slug: 'maps', plan: 'large-manual' }],
    });
    expect(again.json.data.products[0]).toMatchObject({ status: 'pending', plan: { slug: 'large-manual' } });
    expect(await readKeyAccess(test, key, 'maps')).toBe('product_pending');
  });

  it('is approved as it was asked for: who asks for another meanwhile waits for that', async () => {
    await begin('small');
    await change('small-manual');
    await change('large-manual');
    const path = `${adminPath(id, 'maps')}s`;
    expect((await admin.post(`${path}/small-manual/approve`)).status).toBe(404);
    expect((await admin.post(`${path}/nothing/approve`)).status).toBe(404);
    expect((await admin.post(`${path}/large-manual/approve`)).status).toBe(200);
    expect((await admin.post(`${path}/large-manual/approve`)).status).toBe(404);
  });

  it('is refused by an admin, and taken back by who asked', async () => {
    await begin('small');
    await change('large-manual');
    mailbox.mails.splice(0);
    const refused = await admin.post(`${adminPath(id, 'maps')}s/large-manual/withdraw`, { reason: 'No contract.' });
    expect([refused.status, ...(await state())]).toEqual([200, 'small', null, 'small v1']);
    const [mail] = await mailbox.take(test, 'ada@example.com');
    expect(mail?.text).toContain('No contract.');
    await change('large-auto', 'period_end');
    expect((await ada.post(`${planPath(id, 'maps')}s/large-auto/withdraw`)).status).toBe(200);
    expect(await state()).toEqual(['small', null, 'small v1']);
    await change('large-auto', 'period_end');
    // Asking for the one that it has is the same.
    await change('small');
    expect(await state()).toEqual(['small', null, 'small v1']);
  });

  it('is given by an admin without approval, and told to the developer', async () => {
    await begin('small');
    mailbox.mails.splice(0);
    expect((await admin.put(adminPath(id, 'maps'), { plan: 'large-manual' })).status).toBe(200);
    expect(await state()).toEqual(['large-manual', null, 'large-manual v1']);
    const [mail] = await mailbox.take(test, 'ada@example.com');
    expect(mail?.text).toContain('large-manual v1');
    await admin.put(adminPath(id, 'maps'), { plan: 'small', when: 'period_end' });
    const [announced] = await mailbox.take(test, 'ada@example.com');
    expect(announced?.text).toContain('Jul 1, 2026');
    // What an admin announced stays: it is neither taken back nor put off.
    for (const answer of [
      await ada.post(`${planPath(id, 'maps')}s/small/withdraw`),
      await change('large-auto', 'period_end'),
      await change('small-manual'),
      await change('large-manual'),
    ])
      expect(answer.status).toBe(409);
    expect((await state())[1]).toBe(`small approved ${JULY}`);
    expect((await change('small')).status).toBe(200);
    expect(await state()).toEqual(['small', null, 'small v1']);
  });

  it('is not for a product, key or app that is revoked, nor for what belongs to somebody else', async () => {
    await begin('small');
    const eve = await Developer.create(test);
    expect((await eve.put(planPath(id, 'maps'), { plan: 'large' })).status).toBe(404);
    await ada.post(`/shop/credentials/${id}/products/maps/revoke`);
    expect((await change('large')).status).toBe(409);
    await ada.post(`/shop/credentials/${id}/products/maps/approve`);
    await admin.post(`/users/${ada.user.id}/apps/shop/credentials/${id}/products/maps/revoke`);
    expect((await change('large')).status).toBe(403);
    await admin.post(`/users/${ada.user.id}/apps/shop/credentials/${id}/products/maps/approve`);
    await ada.post('/shop/revoke');
    expect((await change('large')).status).toBe(409);
    expect(await state()).toEqual(['small', null, 'small v1']);
  });

  it('takes the right to change apps', async () => {
    await begin('small');
    const catalog = await AdminClient.create(test, ['catalog_manager']);
    expect((await catalog.put(adminPath(id, 'maps'), { plan: 'large' })).status).toBe(403);
    await change('large-manual');
    expect((await catalog.post(`${adminPath(id, 'maps')}s/large-manual/approve`)).status).toBe(403);
  });

  it('is in the activity log', async () => {
    await begin('small');
    await change('large-manual');
    await admin.post(`${adminPath(id, 'maps')}s/large-manual/approve`);
    await change('small', 'period_end');
    await ada.post(`${planPath(id, 'maps')}s/small/withdraw`);
    expect((await actions()).filter((action: string) => action.startsWith('credential.plan'))).toEqual([
      'credential.plan_withdrawn',
      'credential.plan_requested',
      'credential.plan_changed',
      'credential.plan_requested',
    ]);
  });

  it('comes while others fail, and is tried again', async () => {
    await begin('small');
    await change('large-auto', 'period_end');
    const other = await ada.createApp('other', [{ slug: 'maps', plan: 'small' }]);
    await ada.put(`/other/credentials/${other.id}/products/maps/plan`, { plan: 'large-auto', when: 'period_end' });
    test.clock.advance(31 * 86_400);
    const { database } = test.portal;
    await database.execute("UPDATE portal_apps SET sync_state = 'deleting' WHERE name = 'shop'");
    await due();
    expect(await atGateway(other.id, 'maps')).toBe('large-auto v1');
    expect(await atGateway(id, 'maps')).toBe('small v1');
    await database.execute("UPDATE portal_apps SET sync_state = 'synced' WHERE name = 'shop'");
    test.clock.advance(10);
    await due();
    expect(await atGateway(id, 'maps')).toBe('large-auto v1');
  });
});
