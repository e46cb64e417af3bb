import { createPlan, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let page: PageClient;
beforeAll(async () => {
  test = await startTestPortal();
  const limits = { quotaPerMonth: 1_000 };
  await createPlan(test, { slug: 'free', name: 'Free', price: '0 €', translations: { ar: { name: 'مجاني' } } }, limits);
  const script = 'javascript:alert(1)';
  await createPlan(test, { slug: 'pro', name: 'Pro', approval: 'manual', priceUrl: script }, { ratePerSecond: 5 });
  await createProduct(test, { slug: 'maps', name: 'Maps', plans: ['free', 'pro'] });
  page = new PageClient(test.client);
  await page.submit('/portal/login', { email: (await createUser(test)).email, password: PASSWORD });
});
afterAll(() => test.stop());

describe('the plans of a product', () => {
  it('are compared on its page, in the language of the reader', async () => {
    const { html } = await page.get('/portal/products/maps');
    expect(html).toContain('1,000 calls a month');
    expect(html).toContain('5 calls a second');
    expect(html).not.toContain('javascript:');
    expect((await page.get('/portal/products/maps?locale=ar')).html).toContain('مجاني');
  });
});

describe('the plan of a product on a key', () => {
  const place = '/portal/apps/shop';

  it('is chosen with the product, changed and taken back, without a new key', async () => {
    const chosen = { name: 'shop', products: 'maps', plan_maps: 'free' };
    const made = await page.submit('/portal/apps/create', chosen, { action: '/portal/apps' });
    expect(made.html).toMatch(/Your plan: <strong><bdi>Free/);
    const [, path = ''] = /action="([^"]*\/products\/maps\/plan)"/.exec(made.html) ?? [];
    const asked = await page.submit(place, { plan: 'pro', when: 'now' }, { action: path });
    expect(asked.html).toContain('Waits for approval:');
    const back = await page.submit(place, { plan: 'pro' }, { action: `${path}/withdraw` });
    expect(back.html).not.toContain('Waits for approval:');
    const wrong = await page.submit(place, { plan: 'nothing', when: 'now' }, { action: path });
    expect([wrong.status, wrong.html.includes('does not offer this plan')]).toEqual([422, true]);
  });
});
