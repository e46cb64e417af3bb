import type { PortalConfigInput } from '../../../src/config/index.js';
import type { Approver, OwnedApp, OwnedCredential, OwnedGrant } from '../../../src/domain/apps/index.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { createTeam } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ADMIN: Approver = { type: 'admin', id: 1 };

interface Scene {
  test: TestPortal;
  ada: Developer;
  key: string;
  id: number;
  owned(): Promise<OwnedCredential>;
}

async function scene(apps: PortalConfigInput['apps'], product: 'auto' | 'manual' | 'once' = 'auto'): Promise<Scene> {
  const test = await startTestPortal({ config: { apps } });
  await createProduct(test, { slug: 'payments', approval: product });
  const ada = await Developer.create(test);
  const { id, key } = await ada.createApp('shop', ['payments']);
  const { apps: services } = test.portal.services;
  const owned = async () => services.credentials.find(await services.apps.find(ada.user, 'shop'), id);
  return { test, ada, key, id, owned };
}

/** The three kinds of things that are approved and revoked, each with its address and its service. */
const kinds = {
  app: {
    path: () => '/shop',
    revokedBy: 'revoked_app',
    admin: ({ portal }: TestPortal, owned: OwnedApp) => ({
      revoke: (reason: string) => portal.services.apps.apps.revoke(owned, ADMIN, reason),
      approve: () => portal.services.apps.apps.approve(owned, ADMIN),
    }),
  },
  credential: {
    path: (id: number) => `/shop/credentials/${id}`,
    revokedBy: 'revoked_key',
    admin: ({ portal }: TestPortal, owned: OwnedCredential) => ({
      revoke: (reason: string) => portal.services.apps.credentials.revoke(owned, ADMIN, reason),
      approve: () => portal.services.apps.credentials.approve(owned, ADMIN),
    }),
  },
  product: {
    path: (id: number) => `/shop/credentials/${id}/products/payments`,
    revokedBy: 'product_revoked',
    admin: ({ portal }: TestPortal, owned: OwnedCredential) => {
      const { grants } = portal.services.apps;
      const run = async <T>(change: (grant: OwnedGrant) => Promise<T>) => change(await grants.find(owned, 'payments'));
      return {
        revoke: (reason: string) => run((grant) => grants.revoke(grant, ADMIN, reason)),
        approve: () => run((grant) => grants.approve(grant, ADMIN)),
      };
    },
  },
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('of a %s', (name) => {
  const kind = kinds[name];

  it('developers take back their own revocation, and only that (S58)', async () => {
    const { test, ada, key, id, owned } = await scene({});
    const path = kind.path(id);
    const readAccess = () => readKeyAccess(test, key, 'payments');
    const revoked = await ada.post(`${path}/revoke`);
    expect([revoked.status, await readAccess()]).toEqual([200, kind.revokedBy]);
    expect((await ada.post(`${path}/revoke`)).status).toBe(200);
    expect((await ada.post(`${path}/approve`)).status).toBe(200);
    expect((await ada.post(`${path}/approve`)).status).toBe(200);
    expect(await readAccess()).toBe('open');

    await kind.admin(test, await owned()).revoke('Abuse.');
    expect(await readAccess()).toBe(kind.revokedBy);
    expect((await ada.post(`${path}/approve`)).status).toBe(403);
    // To revoke it once more must not make it theirs.
    expect((await ada.post(`${path}/revoke`)).status).toBe(200);
    const refused = await ada.post(`${path}/approve`);
    expect([refused.status, refused.json.message, await readAccess()]).toEqual([403, 'Forbidden.', kind.revokedBy]);
    await kind.admin(test, await owned()).approve();
    expect(await readAccess()).toBe('open');

    // What the developer revoked and an admin then revoked too is the admin's.
    await ada.post(`${path}/revoke`);
    await kind.admin(test, await owned()).revoke('Still abuse.');
    expect((await ada.post(`${path}/approve`)).status).toBe(403);
    await test.stop();
  });

  it('with apps.selfApproval they approve anything of theirs', async () => {
    const { test, ada, key, id, owned } = await scene({ selfApproval: true });
    await kind.admin(test, await owned()).revoke('A test.');
    const answer = await ada.post(`${kind.path(id)}/approve`);
    expect([answer.status, await readKeyAccess(test, key, 'payments')]).toEqual([200, 'open']);
    await test.stop();
  });
});

describe('with apps.approval manual', () => {
  it('a new app waits, its key opens nothing, and revoking it is no way around the approval (S58)', async () => {
    const { test, ada, key, owned } = await scene({ approval: 'manual' });
    const status = async () => (await ada.get('/shop')).json.data.status as string;
    expect([await status(), await readKeyAccess(test, key)]).toEqual(['pending', 'pending_app']);
    expect((await ada.post('/shop/approve')).status).toBe(403);
    await ada.post('/shop/revoke');
    const back = await ada.post('/shop/approve');
    expect([back.status, back.json.data.status, await readKeyAccess(test, key)]).toEqual([
      200,
      'pending',
      'pending_app',
    ]);
    await test.portal.services.apps.apps.approve(await owned(), ADMIN);
    expect([await status(), await readKeyAccess(test, key)]).toEqual(['approved', 'open']);
    await ada.post('/shop/revoke');
    expect((await ada.post('/shop/approve')).json.data.status).toBe('approved');
    await test.stop();
  });

  it('a developer approves it where the platform allows that', async () => {
    const { test, ada, key } = await scene({ approval: 'manual', selfApproval: true });
    expect((await ada.post('/shop/approve')).json.data.status).toBe('approved');
    expect(await readKeyAccess(test, key)).toBe('open');
    await test.stop();
  });
});

describe('a product with manual approval', () => {
  it('waits on each key, and neither revoking nor taking it off and on opens it (S58)', async () => {
    const { test, ada, key, id, owned } = await scene({}, 'manual');
    const readAccess = () => readKeyAccess(test, key, 'payments');
    const path = kinds.product.path(id);
    expect(await readAccess()).toBe('product_pending');
    expect(await readKeyAccess(test, key)).toBe('no_product');
    expect((await ada.post(`${path}/approve`)).status).toBe(403);
    await ada.post(`${path}/revoke`);
    await ada.post(`${path}/approve`);
    expect(await readAccess()).toBe('product_pending');
    await ada.delete(path);
    await ada.post(`/shop/credentials/${id}/products`, { products: ['payments'] });
    expect(await readAccess()).toBe('product_pending');
    await kinds.product.admin(test, await owned()).approve();
    expect(await readAccess()).toBe('open');
    await test.stop();
  });
});

describe('a product that is approved once', () => {
  it('waits on the first key of a developer or a team, and not on later ones of the same', async () => {
    const { test, ada, key, owned } = await scene({}, 'once');
    expect(await readKeyAccess(test, key, 'payments')).toBe('product_pending');
    const early = await ada.createApp('early', ['payments']);
    expect(await readKeyAccess(test, early.key, 'payments')).toBe('product_pending');
    await kinds.product.admin(test, await owned()).approve();
    const later = await ada.createApp('later', ['payments']);
    expect(await readKeyAccess(test, later.key, 'payments')).toBe('open');
    // What waits already is decided by an admin, and what is approved for a person not for their team.
    expect(await readKeyAccess(test, early.key, 'payments')).toBe('product_pending');
    const { apps: services, teams } = { ...test.portal.services };
    const account = await teams.teams.accountOf(await createTeam(test, ada.user));
    const make = async (name: string) => {
      const input = { name, displayName: name, products: ['payments'] };
      const { credentials } = await services.apps.create(account, input, { type: 'developer', id: ada.user.id });
      const [made] = credentials ?? [];
      return { id: made?.id ?? 0, key: made?.key?.consumerKey ?? '' };
    };
    const first = await make('first');
    expect(await readKeyAccess(test, first.key, 'payments')).toBe('product_pending');
    const held = await services.credentials.find(await services.apps.find(account, 'first'), first.id);
    await kinds.product.admin(test, held).approve();
    expect(await readKeyAccess(test, (await make('second')).key, 'payments')).toBe('open');
    // An app that is handed over keeps what its keys were approved for, and gives its new owner no other.
    const shop = await services.apps.find(ada.user, 'shop');
    const heir = await teams.teams.accountOf(await createTeam(test, ada.user));
    test.clock.advance(1);
    await services.transfers.move(shop, heir, ADMIN);
    expect(await readKeyAccess(test, key, 'payments')).toBe('open');
    const input = { name: 'heirs', displayName: 'Heirs', products: ['payments'] };
    const by = { type: 'developer', id: ada.user.id } as const;
    const [inherited] = (await services.apps.create(heir, input, by)).credentials ?? [];
    expect(await readKeyAccess(test, inherited?.key?.consumerKey ?? '', 'payments')).toBe('product_pending');
    test.clock.advance(1);
    const taken = await services.credentials.find(await services.apps.find(heir, 'heirs'), inherited?.id ?? 0);
    await kinds.product.admin(test, taken).approve();
    const [further] = (await services.apps.create(heir, { ...input, name: 'more' }, by)).credentials ?? [];
    expect(await readKeyAccess(test, further?.key?.consumerKey ?? '', 'payments')).toBe('open');
    // Taken from one key by an admin, it is asked for again.
    await kinds.product.admin(test, held).revoke('No contract.');
    expect(await readKeyAccess(test, (await make('third')).key, 'payments')).toBe('product_pending');
    await test.stop();
  });
});

describe('what an admin revoked', () => {
  it('is neither taken off and put on again, nor rotated, nor added to by its developer', async () => {
    const { test, ada, key, id, owned } = await scene({});
    const { grants, credentials, apps } = test.portal.services.apps;
    await grants.revoke(await grants.find(await owned(), 'payments'), ADMIN, 'No contract.');
    expect((await ada.delete(kinds.product.path(id))).status).toBe(403);
    expect((await ada.put('/shop', { products: [] })).status).toBe(403);
    expect((await ada.get(`/shop/credentials/${id}`)).json.data.products).toEqual([
      expect.objectContaining({ status: 'revoked' }),
    ]);
    await credentials.revoke(await owned(), ADMIN, 'Leaked.');
    expect((await ada.get(`/shop/credentials/${id}`)).json.data).toMatchObject({
      status: 'revoked',
      status_reason: 'Leaked.',
      revoked_by: 'admin',
    });
    expect((await ada.post(`/shop/credentials/${id}/rotate`)).status).toBe(403);
    expect((await ada.post(`/shop/credentials/${id}/products`, { products: ['payments'] })).status).toBe(403);
    await apps.revoke(await owned(), ADMIN, 'Closed.');
    const refused = await ada.post('/shop/credentials', { products: ['payments'] });
    expect([refused.status, await readKeyAccess(test, key)]).toEqual([409, 'revoked_key']);
    expect(refused.json.errors).toEqual({ app: ['The app is revoked.'] });
    await test.stop();
  });
});

describe('the limits of an app', () => {
  it('holds apps.keysPerApp against 50 parallel requests (R20)', async () => {
    const { test, ada } = await scene({ keysPerApp: 10 });
    const create = () => ada.post('/shop/credentials', { products: ['payments'] });
    const answers = await Promise.all(Array.from({ length: 50 }, create));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(9);
    expect(statuses.filter((status) => status === 409)).toHaveLength(41);
    expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
      message: 'Conflict.',
      errors: { credentials: ['An app has at most 10 keys.'] },
    });
    const list = await ada.get('/shop/credentials?per_page=100');
    expect(list.json.meta.pagination.total).toBe(10);
    const [{ total }] = (await test.portal.database.select<{ total: number }>(
      'SELECT COUNT(*) AS total FROM portal_gateway_keys',
    )) as [{ total: number }];
    expect(total).toBe(10);
    await test.stop();
  });

  it('a full app still rotates, but replaced keys are bounded too', async () => {
    const { test, ada, id } = await scene({ keysPerApp: 1 });
    expect((await ada.post('/shop/credentials', { products: ['payments'] })).status).toBe(409);
    const second = await ada.post(`/shop/credentials/${id}/rotate`, { overlap: 600 });
    expect(second.status).toBe(201);
    const path = `/shop/credentials/${second.json.data.id}`;
    expect((await ada.post(`${path}/rotate`)).status).toBe(409);
    test.clock.advance(600);
    expect((await ada.post(`${path}/rotate`)).status).toBe(201);
    await test.stop();
  });

  it('apps.keyLifetime is the default and the most of a key', async () => {
    const { test, ada, id } = await scene({ keyLifetime: '1d' });
    const end = new Date(test.clock.now().getTime() + 86_400_000).toISOString();
    expect((await ada.get(`/shop/credentials/${id}`)).json.data.expires_at).toBe(end);
    const create = (expires_in: number) => ada.post('/shop/credentials', { products: ['payments'], expires_in });
    expect((await create(86_401)).json.errors).toEqual({ expires_in: ['Keys live at most 86400 seconds here.'] });
    expect((await create(86_400)).status).toBe(201);
    expect((await ada.post(`/shop/credentials/${id}/rotate`, { expires_in: 86_401 })).status).toBe(422);
    expect((await ada.post('', { name: 'other', products: ['payments'], expires_in: 86_401 })).status).toBe(422);
    await test.stop();
  });
});

describe('a developer whose account waits', () => {
  it('gets no app: 403 with the contract\u2019s sentence', async () => {
    const { test, ada } = await scene({});
    const { apps, users } = { ...test.portal.services.apps, users: test.portal.services.accounts.users };
    const user = await users.setStatus(ada.user.id, 'pending');
    const attempt = apps.create(user, { name: 'new' }, { type: 'developer', id: user.id });
    await expect(attempt).rejects.toMatchObject({ status: 403, message: 'Account pending approval.' });
    await test.stop();
  });
});
