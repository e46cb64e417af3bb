import type { PortalConfigInput } from '../../../src/config/index.js';
import {
  AppApprovedEvent,
  AppRevokedEvent,
  CredentialProductApprovedEvent,
  CredentialRevealedEvent,
} from '../../../src/domain/apps/index.js';
import { Admin } from '../../support/admin.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

interface Scene {
  test: TestPortal;
  admin: Admin;
  ada: Developer;
  bob: Developer;
}

async function scene(apps: PortalConfigInput['apps'] = {}): Promise<Scene> {
  const test = await startTestPortal({ config: { apps } });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'loans', approval: 'manual' });
  await createProduct(test, { slug: 'treasury', visibility: 'private' });
  const admin = await Admin.create(test);
  return { test, admin, ada: await Developer.create(test), bob: await Developer.create(test) };
}

describe('an admin with the apps of a developer', () => {
  let all: Scene;
  let base: string;
  beforeAll(async () => {
    all = await scene();
    base = `/users/${all.ada.user.id}/apps`;
  });
  afterAll(() => all.test.stop());

  it('keeps half a character of a reason as the sign for what cannot be read, on every database', async () => {
    const { admin } = all;
    await admin.post(base, { name: 'half', products: ['payments'] });
    const revoked = await admin.post(`${base}/half/revoke`, { reason: 'Fraud \ud800' });
    expect([revoked.status, revoked.json.data.status_reason]).toEqual([200, 'Fraud \ufffd']);
    await admin.delete(`${base}/half`);
  });

  it('does everything that the developer can', async () => {
    const { test, admin, ada } = all;
    const created = await admin.post(base, { name: 'shop', products: ['payments'] });
    const [credential] = created.json.data.credentials;
    expect([created.status, created.json.data.user_id]).toEqual([201, ada.user.id]);
    expect(await readKeyAccess(test, credential.consumer_key, 'payments')).toBe('open');
    expect((await ada.get('/shop')).json.data).not.toHaveProperty('user_id');
    const etag = created.headers.get('etag') ?? '';
    const changed = await admin.put(`${base}/shop`, { display_name: 'Shop' }, { headers: { 'if-match': etag } });
    expect(changed.json.data).toMatchObject({ display_name: 'Shop', status: 'approved' });
    expect((await admin.put(`${base}/shop`, {}, { headers: { 'if-match': etag } })).status).toBe(412);
    const second = await admin.post(`${base}/shop/credentials`, { products: ['payments'] });
    const path = `${base}/shop/credentials/${second.json.data.id}`;
    expect((await admin.get(`${base}/shop/credentials`)).json.data).toHaveLength(2);
    const rotated = await admin.post(`${path}/rotate`, { overlap: 0 });
    const next = `${base}/shop/credentials/${rotated.json.data.id}`;
    expect(await readKeyAccess(test, second.json.data.consumer_key)).toBe('revoked_key');
    await admin.post(`${next}/products`, { products: ['loans'] });
    expect((await admin.post(`${next}/products/loans/approve`)).json.data.products).toMatchObject([
      { slug: 'loans', status: 'approved' },
      { slug: 'payments', status: 'approved' },
    ]);
    expect((await admin.delete(`${next}/products/loans`)).status).toBe(200);
    expect((await admin.delete(next)).status).toBe(200);
    expect(await readKeyAccess(test, rotated.json.data.consumer_key)).toBe('unknown_key');
    expect((await admin.delete(`${base}/shop`)).status).toBe(200);
    expect((await ada.get('/shop')).status).toBe(404);
  });

  it('names a developer whose app it is; anything else is not found', async () => {
    const { admin, ada, bob } = all;
    await ada.createApp('mine', ['payments']);
    expect((await admin.get(`${base}/mine`)).status).toBe(200);
    expect((await admin.get(`/users/${bob.user.id}/apps/mine`)).status).toBe(404);
    expect((await admin.get(`/users/999999/apps/mine`)).status).toBe(404);
    expect((await admin.get(`/users/0/apps`)).status).toBe(404);
    expect((await admin.post(`/users/999999/apps`, { name: 'x' })).status).toBe(404);
  });

  it('gives products that the developer may use only (S57)', async () => {
    const { admin } = all;
    const answer = await admin.post(base, { name: 'wishes', products: ['treasury'] });
    expect([answer.status, answer.json.errors]).toEqual([422, { products: ['There is no product "treasury".'] }]);
  });

  it('reveals a key after a fresh sign-in, and it is recorded', async () => {
    const { test, admin, ada } = all;
    const { id, key } = await ada.createApp('revealed', ['payments']);
    const seen: unknown[] = [];
    test.portal.events.on(CredentialRevealedEvent, ({ by, credential }) => void seen.push([by, credential.id]));
    const path = `${base}/revealed/credentials/${id}/reveal`;
    const shown = await admin.post(path);
    expect([shown.json.data.consumer_key, shown.headers.get('cache-control')]).toEqual([key, 'no-store']);
    expect(seen).toEqual([[{ type: 'admin', id: admin.record.id }, id]]);
    const reader = await Admin.create(test, ['portal.apps.view']);
    expect((await reader.post(path)).status).toBe(403);
    test.clock.advance(14 * 60);
    expect((await admin.post(path)).status).toBe(200);
  });

  it('asks for 409 when the account of the developer is closed', async () => {
    const { test, admin, bob } = all;
    await test.portal.services.accounts.users.setStatus(bob.user.id, 'inactive');
    const answer = await admin.post(`/users/${bob.user.id}/apps`, { name: 'late' });
    expect([answer.status, answer.json.errors]).toEqual([
      409,
      { user: ['The account of the developer is not active.'] },
    ]);
  });

  it.each([
    ['view', 200, 403, 403, 403],
    ['create', 403, 201, 403, 403],
    ['update', 403, 403, 200, 403],
    ['delete', 403, 403, 403, 200],
  ])('with only the permission to %s may do only that', async (ability, show, create, revoke, remove) => {
    const { test, ada } = all;
    await ada.post('', { name: `for-${ability}` });
    const weak = await Admin.create(test, [`portal.apps.${ability}`]);
    const path = `${base}/for-${ability}`;
    expect([
      (await weak.get(path)).status,
      (await weak.post(base, { name: `by-${ability}` })).status,
      (await weak.post(`${path}/revoke`)).status,
      (await weak.delete(path)).status,
    ]).toEqual([show, create, revoke, remove]);
  });
});

describe('approvals', () => {
  it('carry a reason that the developer sees, and are told with what changed', async () => {
    const { test, admin, ada } = await scene({ approval: 'manual' });
    const changes: unknown[] = [];
    test.portal.events.on(AppApprovedEvent, (event) => void changes.push(event.changes));
    test.portal.events.on(AppRevokedEvent, (event) => void changes.push(event.changes));
    test.portal.events.on(CredentialProductApprovedEvent, (event) => void changes.push(event.changes));
    const { id, key } = await ada.createApp('shop', ['loans']);
    const path = `/users/${ada.user.id}/apps/shop`;
    expect(await readKeyAccess(test, key, 'loans')).toBe('pending_app');
    await admin.post(`${path}/approve`, { reason: 'Contract signed.' });
    await admin.post(`${path}/credentials/${id}/products/loans/approve`, { reason: 'Checked.' });
    expect(await readKeyAccess(test, key, 'loans')).toBe('open');
    expect((await ada.get('/shop')).json.data).toMatchObject({
      status_reason: 'Contract signed.',
      credentials: [{ products: [{ slug: 'loans', status: 'approved', status_reason: 'Checked.' }] }],
    });
    await admin.post(`${path}/revoke`, { reason: 'Abuse.' });
    await admin.post(`${path}/revoke`, { reason: 'Abuse, twice.' });
    await admin.post(`${path}/revoke`);
    expect((await ada.get('/shop')).json.data).toMatchObject({
      status: 'revoked',
      status_reason: 'Abuse, twice.',
      revoked_by: 'admin',
    });
    expect((await ada.post('/shop/approve')).status).toBe(403);
    expect((await ada.post('/shop/revoke', { reason: 'mine' })).json.errors).toHaveProperty('reason');
    expect((await ada.post('/shop/revoke')).json.data.status_reason).toBe('Abuse, twice.');
    const again = await admin.post(`${path}/approve`);
    expect(again.json.data).toMatchObject({ status: 'approved', status_reason: null, revoked_by: null });
    expect((await admin.post(`${path}/revoke`, { reason: 'x'.repeat(501) })).status).toBe(422);
    expect(changes).toEqual([
      { status: ['pending', 'approved'], statusReason: [null, 'Contract signed.'] },
      { status: ['pending', 'approved'], statusReason: [null, 'Checked.'] },
      {
        status: ['approved', 'revoked'],
        statusReason: ['Contract signed.', 'Abuse.'],
        revokedBy: [null, 'admin'],
      },
      { statusReason: ['Abuse.', 'Abuse, twice.'] },
      { status: ['revoked', 'approved'], statusReason: ['Abuse, twice.', null], revokedBy: ['admin', null] },
    ]);
    await test.stop();
  });

  it('move the version of the app though the clock stands still', async () => {
    const { test, admin, ada } = await scene();
    await ada.post('', { name: 'shop' });
    const path = `/users/${ada.user.id}/apps/shop`;
    const tags = [(await admin.get(path)).headers.get('etag')];
    for (const change of ['revoke', 'approve', 'revoke']) {
      tags.push((await admin.post(`${path}/${change}`)).headers.get('etag'));
    }
    expect(new Set(tags).size).toBe(4);
    await test.stop();
  });
});

describe('the list of all apps', () => {
  let all: Scene;
  beforeAll(async () => {
    all = await scene();
    const { test, admin, ada, bob } = all;
    await ada.createApp('plain', ['payments']);
    await ada.createApp('waits-for-loans', ['loans', 'payments']);
    const { id } = await bob.createApp('key-is-revoked', ['loans']);
    await bob.post(`/key-is-revoked/credentials/${id}/revoke`);
    const rotated = await bob.createApp('rotated', ['loans']);
    await bob.post(`/rotated/credentials/${rotated.id}/rotate`);
    await bob.createApp('is-revoked', ['loans']);
    await bob.post('/is-revoked/revoke');
    const expiring = await bob.post('', { name: 'expired', products: ['loans'], expires_in: 60 });
    expect(expiring.status).toBe(201);
    await bob.post('', { name: 'empty' });
    await test.portal.database.execute("UPDATE portal_apps SET status = 'pending' WHERE name = 'empty'");
    test.clock.advance(60);
    expect((await admin.get('/apps')).json.meta.pagination.total).toBe(7);
  });
  afterAll(() => all.test.stop());

  const names = async (query: string) => {
    const answer = await all.admin.get(`/apps?order_by=name&${query}`);
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.json.data.map(({ name }: { name: string }) => name);
  };
  const filter = (filters: object) => `filters=${encodeURIComponent(JSON.stringify(filters))}`;

  it('is the approval queue', async () => {
    expect(await names(filter({ status: 'pending' }))).toEqual(['empty']);
    expect(await names(filter({ waiting: true }))).toEqual(['empty', 'rotated', 'waits-for-loans']);
    const rest = ['expired', 'is-revoked', 'key-is-revoked', 'plain'];
    expect(await names(filter({ waiting: false }))).toEqual(rest);
    expect(await names(filter({ waiting: { ne: true } }))).toEqual(rest);
    expect(await names(filter({ waiting: true, user: all.ada.user.id }))).toEqual(['waits-for-loans']);
    expect(await names(`${filter({ waiting: true })}&per_page=1&page=2`)).toEqual(['rotated']);
  });

  it('is filtered by developer, address, product and time, and searched', async () => {
    const { ada, bob, test } = all;
    expect(await names(filter({ user: ada.user.id }))).toEqual(['plain', 'waits-for-loans']);
    expect(await names(filter({ email: ada.user.email }))).toEqual(['plain', 'waits-for-loans']);
    expect(await names(filter({ product: 'payments' }))).toEqual(['plain', 'waits-for-loans']);
    expect(await names(filter({ product: { ne: 'loans' } }))).toEqual(['empty', 'plain']);
    expect(await names(filter({ product: ['payments', 'none'], status: 'approved' }))).toHaveLength(2);
    expect(await names(filter({ created_at: { gt: test.clock.now().toISOString() } }))).toEqual([]);
    expect(await names(`q=${bob.user.email}`)).toHaveLength(5);
    expect(await names(`q=wait&${filter({ waiting: true })}`)).toEqual(['waits-for-loans']);
    for (const bad of [{ waiting: 'yes' }, { waiting: { gt: true } }, { product: { like: 'x' } }, { userId: 1 }]) {
      expect([bad, (await all.admin.get(`/apps?${filter(bad)}`)).status]).toEqual([bad, 422]);
    }
  });

  it('brings credentials, products and the developer along when asked', async () => {
    const { ada, admin } = all;
    const query = filter({ user: ada.user.id, name: 'plain' });
    const [bare] = (await admin.get(`/apps?${query}`)).json.data;
    expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['credentials']));
    expect(bare).toMatchObject({ user_id: ada.user.id });
    const [full] = (await admin.get(`/apps?${query}&with=credentials,products,user`)).json.data;
    expect(full).toMatchObject({
      credentials: [{ consumer_key: expect.stringContaining('••••') }],
      products: [{ slug: 'payments' }],
      user: { id: ada.user.id, email: ada.user.email, full_name: `Ada ${ada.user.lastName}`, status: 'active' },
    });
  });

  it('is walked with a cursor to the end', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { json } = await all.admin.get(`/apps?order_by=name&per_page=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...json.data.map(({ name }: { name: string }) => name));
      cursor = json.meta.pagination.next_cursor;
      if (!cursor) break;
    }
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...seen].sort());
  });
});

describe('self-approval (S58)', () => {
  const things = {
    app: '/shop',
    credential: (id: number) => `/shop/credentials/${id}`,
    product: (id: number) => `/shop/credentials/${id}/products/loans`,
  };
  const path = (thing: keyof typeof things, id: number) => {
    const made = things[thing];
    return typeof made === 'string' ? made : made(id);
  };

  it.each(
    (['app', 'credential', 'product'] as const).flatMap((thing) =>
      [false, true].flatMap((selfApproval) =>
        (['waiting', 'own revocation', 'admin revocation'] as const).map(
          (state) => [thing, selfApproval, state] as const,
        ),
      ),
    ),
  )('of a %s with the flag %s: %s', async (thing, selfApproval, state) => {
    const { test, admin, ada } = await scene({ selfApproval });
    const { id } = await ada.createApp('shop', ['loans']);
    const { database } = test.portal;
    const waiting = "status = 'pending', approved_at = NULL";
    if (state === 'waiting') {
      await database.execute(`UPDATE portal_apps SET ${waiting}`);
      await database.execute(`UPDATE portal_credentials SET ${waiting}`);
    } else {
      await admin.post(`/users/${ada.user.id}/apps${path(thing, id)}/approve`);
      if (state === 'own revocation') await ada.post(`${path(thing, id)}/revoke`);
      else await admin.post(`/users/${ada.user.id}/apps${path(thing, id)}/revoke`);
    }
    const allowed = selfApproval || state === 'own revocation';
    expect((await ada.post(`${path(thing, id)}/approve`)).status).toBe(allowed ? 200 : 403);
    expect((await ada.post(`${path(thing, id)}/revoke`)).status).toBe(200);
    await test.stop();
  });
});
