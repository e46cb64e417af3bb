import { waitingListReply } from '../../../src/api/apps/waiting-schema.js';
import { Developer } from '../../support/apps.js';
import { createAdmin, createProduct, createRole, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const WAITING = '/api/v1/admin/waiting';

let test: TestPortal;
let ada: Developer;
let key: { id: number; key: string };
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } } });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  await createProduct(test, { slug: 'loans', name: 'Loans', approval: 'manual' });
  ada = await Developer.create(test, { email: 'ada@example.com' });
  test.clock.advance(60);
  key = await ada.createApp('checkout', ['payments', 'loans']);
  test.clock.advance(60);
  await createUser(test, { email: 'new@example.com', status: 'pending' });
  test.clock.advance(60);
  await test.portal.database.execute("UPDATE portal_credentials SET status = 'pending', created_at = ?", [
    test.clock.now(),
  ]);
});
afterAll(() => test.stop());

const tokenWith = async (...permissions: string[]) =>
  signIn(test, await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access', ...permissions])] }));
const everything = async () => signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
const ask = async (token: string, query = '') => {
  const answer = await test.client.get(WAITING + query, { token });
  if (answer.status === 200) {
    expect(waitingListReply.validate(answer.json.data, { convert: false }).error).toBeUndefined();
  }
  return answer;
};
const kindsOf = async (token: string, query = '') => {
  const { json } = await ask(token, query);
  return json.data.map(({ kind }: { kind: string }) => kind);
};
const filters = (value: unknown) => `?filters=${encodeURIComponent(JSON.stringify(value))}`;

describe('GET /admin/waiting', () => {
  it('is one queue of everything that waits, oldest first, with what an admin needs to know and to call', async () => {
    const { json, text } = await ask(await everything());
    const developer = { id: ada.user.id, email: 'ada@example.com', full_name: expect.any(String), status: 'active' };
    const app = { name: 'checkout', display_name: 'checkout', description: '' };
    const ofApp = { user: ada.user.id, appName: 'checkout' };
    const credential = { id: key.id, consumer_key: expect.stringMatching(/^.{4}••••.{4}$/) };
    const payments = { slug: 'payments', name: 'Payments', status: 'approved' };
    const loans = { slug: 'loans', name: 'Loans', status: 'pending' };
    expect(json.data.map(({ plan }: { plan: unknown }) => plan)).toEqual([null, null, null, null]);
    expect(json.data).toMatchObject([
      {
        ...{ kind: 'app', waiting_since: '2026-06-01T12:01:00.000Z', developer, app, credential: null },
        products: [loans, payments],
        approve: { operation: 'approveUserApp', params: ofApp },
        refuse: { operation: 'revokeUserApp', params: ofApp },
      },
      {
        ...{ kind: 'product', waiting_since: expect.any(String), developer, app, credential, products: [loans] },
        approve: { operation: 'approveUserCredentialProduct', params: { ...ofApp, id: key.id, product: 'loans' } },
        refuse: { operation: 'revokeUserCredentialProduct', params: { ...ofApp, id: key.id, product: 'loans' } },
      },
      {
        ...{ kind: 'developer', app: null, credential: null, products: [], waiting_since: '2026-06-01T12:02:00.000Z' },
        developer: {
          id: expect.any(Number),
          email: 'new@example.com',
          full_name: expect.any(String),
          status: 'pending',
        },
        approve: { operation: 'activateUser', params: { id: expect.any(Number) } },
        refuse: { operation: 'deactivateUser', params: { id: expect.any(Number) } },
      },
      {
        ...{ kind: 'key', waiting_since: '2026-06-01T12:03:00.000Z', developer, app, credential },
        products: [loans, payments],
        approve: { operation: 'approveUserCredential', params: { ...ofApp, id: key.id } },
        refuse: { operation: 'revokeUserCredential', params: { ...ofApp, id: key.id } },
      },
    ]);
    expect(json.meta.pagination.total).toBe(4);
    expect(text).not.toContain(key.key);
  });

  it('names operations that there are, with all parameters of their paths', async () => {
    const { json } = await ask(await everything());
    for (const { approve, refuse } of json.data) {
      for (const { operation, params } of [approve, refuse]) {
        const route = test.portal.routes.find((candidate) => candidate.operation === operation);
        const names = [...(route?.path ?? '').matchAll(/:(\w+)/g)].map(([, name = '']) => name);
        expect([operation, Object.keys(params).sort()]).toEqual([operation, names.sort()]);
      }
    }
  });

  it('is filtered by kind', async () => {
    const token = await everything();
    expect(await kindsOf(token, filters({ kind: 'key' }))).toEqual(['key']);
    expect(await kindsOf(token, filters({ kind: ['developer', 'app'] }))).toEqual(['app', 'developer']);
    expect(await kindsOf(token, filters({ kind: { ne: 'product' } }))).toEqual(['app', 'developer', 'key']);
    expect(await kindsOf(token, filters({ kind: 'nothing' }))).toEqual([]);
    expect((await ask(token, filters({ kind: { like: 'ke' } }))).status).toBe(422);
    expect((await ask(token, filters({ email: 'ada@example.com' }))).status).toBe(422);
    expect((await ask(token, '?order_by=created_at')).status).toBe(422);
  });

  it('is read page by page, by number and by cursor, in both directions', async () => {
    const token = await everything();
    const all = ['app', 'product', 'developer', 'key'];
    for (const [order, expected] of [
      ['', all],
      ['&order_by=waiting_since&direction=DESC', [...all].reverse()],
    ] as const) {
      expect(await kindsOf(token, `?per_page=3${order}`)).toEqual(expected.slice(0, 3));
      expect(await kindsOf(token, `?per_page=3&page=2${order}`)).toEqual(expected.slice(3));
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { json } = await ask(token, `?per_page=1${order}${cursor}`);
        seen.push(...json.data.map(({ kind }: { kind: string }) => kind));
        expect(json.meta.pagination.total).toBe(cursor === '' ? 4 : null);
        if (json.meta.pagination.next_cursor === null) break;
        cursor = `&cursor=${json.meta.pagination.next_cursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  it('refuses a cursor that is not its own', async () => {
    const token = await everything();
    const { json } = await ask(token, '?per_page=1');
    const own = json.meta.pagination.next_cursor;
    const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const cursor of [
      'x',
      forged(['apps', 'ASC', 0, 'app', 1, 0]),
      forged(['waiting', 'ASC', 1e300, 'app', 1, 0]),
      forged(['waiting', 'ASC', 0, 'admin', 1, 0]),
      forged(['waiting', 'ASC', 0, 'app', "1' OR 1=1", 0]),
    ]) {
      const answer = await ask(token, `?cursor=${cursor}`);
      expect([cursor, answer.status, Object.keys(answer.json.errors)]).toEqual([cursor, 422, ['cursor']]);
    }
    expect((await ask(token, `?cursor=${own}&order_by=waiting_since&direction=DESC`)).status).toBe(422);
  });

  it('shows each admin what they may view, and offers the decision to those who may update', async () => {
    expect(await kindsOf(await tokenWith())).toEqual([]);
    expect(await kindsOf(await tokenWith('portal.users.view'))).toEqual(['developer']);
    const { json } = await ask(await tokenWith('portal.apps.view'));
    expect(json.data.map(({ kind, approve, refuse }: Record<string, unknown>) => [kind, approve, refuse])).toEqual([
      ['app', null, null],
      ['product', null, null],
      ['key', null, null],
    ]);
    expect(json.meta.pagination.total).toBe(3);
    const deciding = await ask(await tokenWith('portal.apps.view', 'portal.apps.update'));
    expect(deciding.json.data[0].approve.operation).toBe('approveUserApp');
    expect((await ask(await signIn(test, await createAdmin(test)))).status).toBe(403);
    expect((await test.client.get(WAITING)).status).toBe(401);
    expect((await test.client.get(WAITING, { token: ada.token })).status).toBe(401);
  });

  it('leaves out what is decided, and what nobody can decide any more', async () => {
    const token = await everything();
    const { json } = await ask(token, filters({ kind: 'product' }));
    const { user, appName, id, product } = json.data[0].approve.params;
    const path = `/api/v1/admin/users/${user}/apps/${appName}`;
    await test.client.post(`${path}/credentials/${id}/products/${product}/approve`, {}, { token });
    expect(await kindsOf(token)).toEqual(['app', 'developer', 'key']);
    await test.client.post(`${path}/revoke`, {}, { token });
    expect(await kindsOf(token)).toEqual(['developer']);
  });
});

it('a developer who has to confirm an address waits once that is done', async () => {
  const portal = await startTestPortal({ config: { accounts: { verifyEmail: true, defaultStatus: 'pending' } } });
  try {
    await portal.portal.services.rbac.seed();
    await createUser(portal, { status: 'pending' });
    const token = await signIn(portal, await createAdmin(portal, { roles: ['super_admin'] }));
    const count = async () => (await portal.client.get(WAITING, { token })).json.data.length;
    expect(await count()).toBe(0);
    await portal.portal.database.execute('UPDATE portal_users SET email_verified_at = ?', [portal.clock.now()]);
    expect(await count()).toBe(1);
  } finally {
    await portal.stop();
  }
});
