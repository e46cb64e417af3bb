import { Developer, verify } from '../../support/apps.js';
import { createAdmin, createPlan, createProduct } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { flushUsage } from '../../support/usage.js';

let test: TestPortal;
let token: string;
const MONTH = 30 * 86_400;

const download = (query: string) => test.client.get(`/api/v1/admin/usage/plans/export${query}`, { token });

async function call(key: string, product: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await verify(test, key, product);
  await flushUsage(test);
}

beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
});
afterAll(() => test.stop());

describe('GET /usage/plans/export', () => {
  it('tells for each app, product and version of a plan what was called in a month', async () => {
    await createPlan(test, { slug: 'free' });
    await createPlan(test, { slug: 'pro' });
    await createProduct(test, { slug: 'maps', plans: ['free', 'pro'] });
    await createProduct(test, { slug: 'plain' });
    const ada = await Developer.create(test, { email: 'ada@example.com' });
    const bob = await Developer.create(test, { email: 'bob@example.com' });
    const shop = await ada.createApp('shop', ['maps', 'plain']);
    const site = await bob.createApp('site', [{ slug: 'maps', plan: 'pro' }]);
    await call(shop.key, 'maps', 3);
    await call(shop.key, 'plain', 2);
    await call(site.key, 'maps', 1);
    await ada.put(`/shop/credentials/${shop.id}/products/maps/plan`, { plan: 'pro' });
    await call(shop.key, 'maps', 4);
    const lines = async (month: string) => {
      const { text, headers } = await download(`?month=${month}`);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="usage-by-plan-${month}.csv"`);
      const [head, ...rows] = text.trimEnd().split('\r\n');
      expect(head).toBe(
        '"month","user_id","email","app_id","app","product","plan","version","calls","allowed","refused"',
      );
      return rows.map((row) => row.replaceAll('"', '').split(',').slice(2));
    };
    const june = [
      ['ada@example.com', '1', 'shop', 'maps', 'free', '1', '3', '3', '0'],
      ['ada@example.com', '1', 'shop', 'maps', 'pro', '1', '4', '4', '0'],
      ['ada@example.com', '1', 'shop', 'plain', '', '', '2', '2', '0'],
      ['bob@example.com', '2', 'site', 'maps', 'pro', '1', '1', '1', '0'],
    ];
    expect(await lines('2026-06')).toEqual(june);
    // A month later the same, from the sums of days: nothing is lost or doubled where hours end.
    test.clock.advance(MONTH);
    token = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
    await test.portal.services.usage.maintain(new AbortController().signal);
    await call(shop.key, 'maps', 1);
    expect(await lines('2026-06')).toEqual(june);
    expect(await lines('2026-07')).toEqual([['ada@example.com', '1', 'shop', 'maps', 'pro', '1', '1', '1', '0']]);
    expect(await lines('2025-12')).toEqual([]);
  });

  it('is refused without a month, and without the right to read usage', async () => {
    for (const query of ['', '?month=2026-13', '?month=June', '?month=2026-06-01', '?month=1999-01'])
      expect((await download(query)).status).toBe(422);
    token = await signIn(test, await createAdmin(test, { roles: [] }));
    expect((await download('?month=2026-06')).status).toBe(403);
  });
});
