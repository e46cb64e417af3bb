import { AdminClient } from '../../support/admin-client.js';
import { Developer } from '../../support/apps.js';
import { createAdmin, createProduct, createRole } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const DAY_S = 86_400;
let test: TestPortal;
let admin: AdminClient;
let slug: string;
let count = 0;
let people: Record<'holder' | 'watcher' | 'stranger' | 'former' | 'lost', Developer>;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
});
afterAll(() => test.stop());
beforeEach(async () => {
  count += 1;
  slug = `api-${count}`;
  test.clock.advance(60);
  admin = await AdminClient.create(test, ['catalog_manager']);
  const names = ['holder', 'watcher', 'stranger', 'former', 'lost'] as const;
  const made = await Promise.all(names.map(async (name) => [name, await Developer.create(test)] as const));
  people = Object.fromEntries(made) as typeof people;
  const { audiences } = test.portal.services.catalog;
  const users = Object.values(people).map(({ user }) => user.email);
  const beta = await audiences.create({ name: `beta-${count}`, users });
  await createProduct(test, { slug, visibility: 'private', audiences: [`beta-${count}`] });
  for (const one of [people.holder, people.former, people.lost]) await one.createApp('shop', [slug]);
  await people.former.delete('/shop');
  const body = { kinds: ['fix', 'deprecation'] };
  const { token } = people.watcher;
  expect((await test.client.send('PUT', `/api/v1/me/watches/${slug}`, { token, body })).status).toBe(200);
  for (const { user } of Object.values(people)) await hook(user.id);
  await audiences.update(beta.id, { users: users.filter((email) => email !== people.lost.user.email) });
  await test.portal.database.execute('DELETE FROM portal_webhook_messages');
});

async function hook(ownerId: number): Promise<void> {
  const { endpoints } = test.portal.services.webhooks;
  const input = { url: 'https://hooks.example.com/', events: ['product.*'], fields: ['label', 'changes'] };
  const { endpoint } = await endpoints.create(input, ownerId, null);
  await setStatus(endpoint.id, 'active');
}
const setStatus = (id: number, status: string) =>
  test.portal.database.execute('UPDATE portal_webhook_endpoints SET status = ? WHERE id = ?', [status, id]);
const endpointOf = async (developer: Developer) => {
  const [endpoint] = await test.portal.services.webhooks.endpoints.list(developer.user.id);
  if (!endpoint) throw new Error('no endpoint');
  return endpoint;
};

/** Types that were queued for each, and forgets them. */
async function told(): Promise<Record<string, string[]>> {
  const rows = await test.portal.database.select<{ owner: number; type: string }>(
    `SELECT e.owner_id AS owner, d.type AS type FROM portal_webhook_deliveries d
     JOIN portal_webhook_endpoints e ON e.id = d.endpoint_id ORDER BY d.id`,
  );
  await test.portal.database.execute('DELETE FROM portal_webhook_messages');
  const all = Object.entries(people).map(([name, { user }]) => {
    const own = rows.filter(({ owner }) => owner === user.id).map(({ type }) => type.replace('product.', ''));
    return [name, own] as const;
  });
  return Object.fromEntries(all.filter(([, types]) => types.length > 0));
}
const published = async (kind: string) => {
  const { id } = (await admin.post(`/products/${slug}/changes`, { kind, name: 'Amounts are texts' })).json.data;
  expect((await admin.post(`/products/${slug}/changes/${id as number}/publish`, { notice: false })).status).toBe(200);
};
const inDays = (days: number) =>
  new Date(test.clock.now().getTime() + days * DAY_S * 1_000).toISOString().slice(0, 10) + 'T00:00Z';

describe('webhooks of developers tell of a product', () => {
  it('what was published, to those who hold a key for it or watch that kind, and see it', async () => {
    await published('breaking');
    expect(await told()).toEqual({ holder: ['change_published'] });
    await published('fix');
    expect(await told()).toEqual({ holder: ['change_published'], watcher: ['change_published'] });
    await admin.put(`/products/${slug}`, { name: 'Another name' });
    expect(await told()).toEqual({});
  });

  it('its end once that is announced and no draft any more, its dates, and the end itself', async () => {
    const both = (...types: string[]) => ({ holder: types, watcher: types });
    const { id } = (await admin.post(`/products/${slug}/deprecations`, { sunset_at: inDays(100) })).json.data;
    const path = `/products/${slug}/deprecations/${id as number}`;
    await admin.put(path, { description: 'Use v3.' });
    expect(await told()).toEqual({});
    expect((await admin.post(`${path}/announce`, { notice: false })).status).toBe(200);
    const sql = `SELECT d.body AS body FROM portal_webhook_deliveries d JOIN portal_webhook_endpoints e ON e.id = d.endpoint_id
      WHERE e.owner_id = ?`;
    const [{ body } = { body: '' }] = await test.portal.database.select<{ body: string }>(sql, [people.holder.user.id]);
    expect(JSON.parse(body)).toMatchObject({
      type: 'product.deprecation_announced',
      data: {
        ...{ owner_id: null, subject: { type: 'product', label: slug }, changes: {} },
        facts: {
          product: slug,
          state: 'announced',
          sunset_at: new Date(inDays(100)).toISOString(),
          closes: 'automatic',
        },
        url: expect.stringMatching(new RegExp(`/api/v1/api-products/${slug}$`)),
      },
    });
    expect(await told()).toEqual(both('deprecation_announced'));
    await admin.put(path, { sunset_at: inDays(200) });
    expect(await told()).toEqual(both('deprecation_updated'));
    test.clock.advance(201 * DAY_S);
    await test.portal.jobs.run('sunsets');
    expect(await told()).toEqual(both('deprecation_retired'));
  });

  it('that its sunset came where an admin has to end it, who is mailed once for each sunset', async () => {
    const allowed = await createAdmin(test, {
      roles: [await createRole(test, ['portal.admin.access', 'portal.products.update'])],
    });
    const other = await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access'])] });
    const body = { sunset_at: inDays(100), closes: 'manual' };
    const { id } = (await admin.post(`/products/${slug}/deprecations`, body)).json.data;
    const path = `/products/${slug}/deprecations/${id as number}`;
    await admin.post(`${path}/announce`, { notice: false });
    await told();
    const mails = async (email: string) => {
      const sql = "SELECT id FROM portal_mails WHERE recipient = ? AND template = 'sunset-waiting'";
      return (await test.portal.database.select(sql, [email])).length;
    };
    const run = () => Promise.all([test.portal.jobs.run('sunsets'), test.portal.jobs.run('sunsets')]);
    await run();
    expect([await mails(allowed.email), await told()]).toEqual([0, {}]);
    test.clock.advance(101 * DAY_S);
    await run();
    await run();
    expect(await told()).toEqual({ holder: ['sunset_reached'], watcher: ['sunset_reached'] });
    expect([await mails(allowed.email), await mails(other.email)]).toEqual([1, 0]);
    admin = await AdminClient.create(test, ['catalog_manager']);
    expect((await admin.put(path, { sunset_at: inDays(30) })).status).toBe(200);
    test.clock.advance(31 * DAY_S);
    await run();
    expect(await mails(allowed.email)).toBe(2);
  });

  it('what an endpoint missed, when it is replayed: exactly that of the window, and of what is still seen', async () => {
    const { endpoints } = test.portal.services.webhooks;
    const holder = await endpointOf(people.holder);
    const all = { since: new Date(0), until: null };
    await published('breaking');
    await setStatus(holder.id, 'disabled');
    await published('fix');
    test.clock.advance(60);
    const since = test.clock.now();
    await published('feature');
    await setStatus(holder.id, 'active');
    expect(await endpoints.replay(await endpointOf(people.lost), all)).toBe(0);
    expect(await endpoints.replay(await endpointOf(people.stranger), all)).toBe(0);
    expect(await endpoints.replay(await endpointOf(people.watcher), all)).toBe(0);
    expect(await endpoints.replay(await endpointOf(people.holder), { since, until: null })).toBe(1);
    expect(await endpoints.replay(await endpointOf(people.holder), all)).toBe(1);
    expect(await endpoints.replay(await endpointOf(people.holder), all)).toBe(0);
    const sql =
      'SELECT COUNT(*) AS total, COUNT(DISTINCT webhook_id) AS different FROM portal_webhook_deliveries WHERE endpoint_id = ?';
    const [row] = await test.portal.database.select(sql, [holder.id]);
    expect(Object.values(row ?? {}).map(Number)).toEqual([3, 3]);
  });
});
