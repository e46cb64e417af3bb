import { LoginAttemptedEvent } from '../../../src/domain/auth/index.js';
import { runAsOperator, PortalEvent } from '../../../src/core/index.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../../support/factories.js';
import { signInPair } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const API = '/api/v1';
const ADMIN = `${API}/admin`;
const NEW_PASSWORD = 'canary-new-password-81f2';
const WRONG_PASSWORD = 'canary-wrong-password-77aa';

let test: TestPortal;
const seen: string[] = [];
const secrets = new Set<string>([PASSWORD, NEW_PASSWORD, WRONG_PASSWORD]);
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { selfApproval: true } } });
  const { events, services } = test.portal;
  await services.rbac.seed();
  events.within(PortalEvent, (event) => void seen.push(event.constructor.name));
});
afterAll(() => test.stop());

interface Row {
  action: string;
  actor_type: string;
}
const written = async () => {
  const sql = 'SELECT * FROM portal_activities ORDER BY id';
  return test.portal.database.select<Row>(sql, [], { decode: { changes: 'json' } });
};

/** What `run` adds to the log: `action actor`. */
async function recorded(run: () => Promise<unknown>): Promise<string[]> {
  const before = (await written()).length;
  await run();
  return (await written()).slice(before).map(({ action, actor_type: type }) => `${action} ${type}`);
}

const keep = <T extends object>(body: T): T => {
  for (const value of Object.values(body)) if (typeof value === 'string' && value.length > 20) secrets.add(value);
  return body;
};

describe('the log after a day of a portal', () => {
  it('has one row for the outcome of every attempt to sign in', async () => {
    const ada = await createUser(test, { email: 'ada@example.com' });
    const grace = await createAdmin(test, { email: 'grace@example.com', roles: ['admin'] });
    const idle = await createUser(test, { email: 'idle@example.com', status: 'inactive' });
    const attempt = (prefix: string, email: string, password: string) => () =>
      test.client.post(`${prefix}/auth/login`, { email, password });
    const attempted = () => seen.filter((name) => name === LoginAttemptedEvent.name).length;
    expect(await recorded(attempt(API, ada.email, PASSWORD))).toEqual([
      'user.login developer',
      'token.issued developer',
    ]);
    expect(await recorded(attempt(API, ada.email, WRONG_PASSWORD))).toEqual(['user.login_failed visitor']);
    expect(await recorded(attempt(API, 'nobody@example.com', PASSWORD))).toEqual(['user.login_failed visitor']);
    expect(await recorded(attempt(API, idle.email, PASSWORD))).toEqual(['user.login_failed visitor']);
    expect(await recorded(attempt(ADMIN, grace.email, PASSWORD))).toEqual(['admin.login admin', 'token.issued admin']);
    expect(await recorded(attempt(ADMIN, grace.email, WRONG_PASSWORD))).toEqual(['admin.login_failed visitor']);
    expect(attempted()).toBe(6);
  });

  it('has every event of the door', async () => {
    const ada = await createUser(test);
    const refreshed = async (token: string) =>
      (await test.client.post(`${API}/auth/refresh`, { refresh_token: token })).json.data;
    const first = keep(await signInPair(test, ada));
    let next = first;
    expect(await recorded(async () => (next = keep(await refreshed(first.refresh_token))))).toEqual([
      'token.refreshed developer',
    ]);
    await refreshed(next.refresh_token).then(keep);
    test.clock.advance(60);
    expect(
      await recorded(() => test.client.post(`${API}/auth/refresh`, { refresh_token: first.refresh_token })),
    ).toEqual(['refresh_token.reused developer']);
    const again = keep(await signInPair(test, ada));
    const other = keep(await signInPair(test, ada));
    const token = again.access_token;
    const sessions = (await test.client.get(`${API}/me/sessions`, { token })).json.data as {
      id: string;
      current: boolean;
    }[];
    const otherId = sessions.find(({ current }) => !current)?.id ?? '';
    expect(await recorded(() => test.client.delete(`${API}/me/sessions/${otherId}`, { token }))).toEqual([
      'session.revoked developer',
    ]);
    expect(
      await recorded(() => test.client.post(`${API}/me/reauthenticate`, { password: WRONG_PASSWORD }, { token })),
    ).toEqual(['user.login_failed developer']);
    const change = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    expect(await recorded(() => test.client.post(`${API}/me/password`, change, { token }))).toEqual([
      'password.changed developer',
    ]);
    expect(
      await recorded(() => test.client.post(`${API}/auth/logout`, { refresh_token: again.refresh_token }, { token })),
    ).toEqual(['token.revoked developer']);
    expect(other).toBeDefined();
  });

  it('has every refusal on admin routes, and whom it refused', async () => {
    const support = await createAdmin(test, { roles: ['catalog_manager'] });
    const { access_token: token } = keep(await signInPair(test, support));
    const { access_token: developerToken } = keep(await signInPair(test, await createUser(test)));
    const list = (call: object) => () => test.client.get(`${ADMIN}/users`, call);
    expect(await recorded(list({}))).toEqual(['admin.request_refused visitor']);
    expect(await recorded(list({ token: developerToken }))).toEqual(['admin.request_refused visitor']);
    expect(await recorded(list({ token }))).toEqual(['admin.request_refused admin']);
    const last = (await written()).at(-1);
    const about = { subject_type: 'operation', subject_id: 'listUsers', changes: { status: [null, 403] } };
    expect(last).toMatchObject({ ...about, actor_id: support.id });
    // Not an admin route: nothing to note.
    expect(await recorded(() => test.client.get(`${API}/me`))).toEqual([]);
  });

  it('leaves a refusal a refusal when it cannot be written down', async () => {
    const { database } = test.portal;
    await database.execute('UPDATE portal_activity_chain SET id = 2');
    try {
      expect((await test.client.get(`${ADMIN}/users`)).status).toBe(401);
      // What has to be written down does not happen without.
      const login = { email: 'ada@example.com', password: PASSWORD };
      expect((await test.client.post(`${API}/auth/login`, login)).status).toBe(500);
    } finally {
      await database.execute('UPDATE portal_activity_chain SET id = 1');
    }
  });

  it('has every change of a developer, of their apps and keys', async () => {
    const product = await createProduct(test);
    const manual = await createProduct(test, { approval: 'manual' });
    const registration = {
      ...{ first_name: 'Mary', last_name: 'Shelley', email: 'mary@example.com' },
      ...{ password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
    };
    let token = '';
    expect(
      await recorded(async () => {
        const { data } = (await test.client.post(`${API}/auth/register`, registration)).json;
        token = keep(data).access_token;
      }),
    ).toEqual(['user.created visitor', 'token.issued developer']);
    const send = (method: string, path: string, body?: object) => async () => {
      const answer = await test.client.send(method, `${API}/me${path}`, { token, ...(body ? { body } : {}) });
      if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      for (const credential of answer.json.data.credentials ?? [answer.json.data]) keep(credential);
      return answer;
    };
    expect(await recorded(send('PUT', '', { first_name: 'Mara' }))).toEqual(['user.updated developer']);
    expect(await recorded(send('PUT', '', { first_name: 'Mara' }))).toEqual([]);
    expect(await recorded(send('POST', '/apps', { name: 'novel', products: [product.slug] }))).toEqual([
      'app.created developer',
      'credential.created developer',
    ]);
    expect(await recorded(send('PUT', '/apps/novel', { display_name: 'A novel' }))).toEqual(['app.updated developer']);
    expect(await recorded(send('POST', '/apps/novel/revoke'))).toEqual(['app.revoked developer']);
    expect(await recorded(send('POST', '/apps/novel/approve'))).toEqual(['app.approved developer']);
    let id = 0;
    expect(
      await recorded(async () => {
        const answer = await send('POST', '/apps/novel/credentials', { products: [product.slug] })();
        id = Number(answer.json.data.id);
      }),
    ).toEqual(['credential.created developer']);
    const key = `/apps/novel/credentials/${id}`;
    const add = { products: [manual.slug] };
    expect(await recorded(send('POST', `${key}/products`, add))).toEqual(['credential.product_added developer']);
    const one = `${key}/products/${manual.slug}`;
    expect(await recorded(send('POST', `${one}/approve`))).toEqual(['credential.product_approved developer']);
    expect(await recorded(send('POST', `${one}/revoke`))).toEqual(['credential.product_revoked developer']);
    expect(await recorded(send('DELETE', one))).toEqual(['credential.product_removed developer']);
    expect(await recorded(send('POST', `${key}/reveal`))).toEqual(['credential.revealed developer']);
    expect(await recorded(send('POST', `${key}/revoke`))).toEqual(['credential.revoked developer']);
    expect(await recorded(send('POST', `${key}/approve`))).toEqual(['credential.approved developer']);
    expect(await recorded(send('POST', `${key}/rotate`, {}))).toEqual(
      expect.arrayContaining(['credential.rotated developer']),
    );
    expect(await recorded(send('DELETE', key))).toEqual(['credential.deleted developer']);
    expect(await recorded(send('DELETE', '/apps/novel'))).toContain('app.deleted developer');
    expect(await recorded(send('DELETE', ''))).toEqual(['user.deleted developer']);
  });

  it('has what the operator does at the command line, and what the program does by itself', async () => {
    const { accounts, rbac, catalog, site } = test.portal.services;
    const user = await createUser(test);
    const asOperator = (run: () => Promise<unknown>) => recorded(() => runAsOperator(run));
    let adminId = 0;
    const admin = { name: 'Root', email: 'root@example.com', password: NEW_PASSWORD };
    expect(await asOperator(async () => (adminId = (await accounts.admins.create(admin)).id))).toEqual([
      'admin.created operator',
    ]);
    const roles = { adminId, roles: ['auditor'], by: 'operator' } as const;
    expect(await asOperator(() => rbac.assignRoles(roles))).toEqual(['admin.roles_changed operator']);
    expect(await asOperator(() => accounts.admins.updateProfile(adminId, { name: 'Rooot' }))).toEqual([
      'admin.updated operator',
    ]);
    expect(await recorded(() => accounts.users.setStatus(user.id, 'inactive'))).toEqual(['user.status_changed system']);
    const product = await createProduct(test);
    expect(await recorded(() => catalog.products.update(product.id, { name: 'Renamed' }))).toEqual([
      'product.updated system',
    ]);
    const spec = '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{}}';
    expect(await recorded(() => catalog.products.setSpec(product.id, spec))).toEqual(['product.spec_changed system']);
    expect(await recorded(() => catalog.categories.create({ slug: 'money', name: 'Money' }))).toEqual([
      'category.created system',
    ]);
    expect(await recorded(() => catalog.audiences.create({ name: 'insiders' }))).toEqual(['audience.created system']);
    expect(await recorded(() => catalog.audiences.addMembers('insiders', [user.id]))).toEqual([
      'audience.members_added system',
    ]);
    expect(await recorded(() => site.menus.create({ slug: 'top', name: 'Top', items: [] }))).toEqual([
      'menu.created system',
    ]);
  });

  it('has the events of a host under the name of their class, with changes and nothing else', async () => {
    class AcmeInvoicePaidEvent extends PortalEvent {
      readonly acmeInvoiceId = 42;
      readonly changes = { paid: [false, true], iban: [null, 'CH93'], cardToken: [null, 'canary-card-token'] };
      readonly customer = { name: 'canary-customer' };
    }
    secrets.add('canary-card-token').add('canary-customer');
    const { events, services } = test.portal;
    await events.emit(new AcmeInvoicePaidEvent(test.clock.now()));
    const { items } = await services.activities.log.list({
      ...{ page: 1, perPage: 1, direction: 'DESC', with: [], filters: [] },
    });
    expect(items[0]).toMatchObject({
      action: 'acme_invoice.paid',
      subjectType: 'acme_invoice',
      subjectId: '42',
      changes: { paid: [false, true], iban: [null, 'CH93'], card_token: [null, '[masked]'] },
    });
  });

  it('holds no password, token or key of all that (S69)', async () => {
    const { database } = test.portal;
    const dump = JSON.stringify([
      await database.select('SELECT * FROM portal_activities'),
      await database.select('SELECT * FROM portal_activity_people'),
    ]);
    expect(secrets.size).toBeGreaterThan(20);
    expect([...secrets].filter((secret) => dump.includes(secret))).toEqual([]);
  });

  it('forgot the developer who left, and is as it was written', async () => {
    const dump = JSON.stringify(await test.portal.database.select('SELECT * FROM portal_activity_people'));
    expect(dump).not.toMatch(/mary@example\.com|Mara|Shelley/);
    const report = await test.portal.services.activities.verifier.verify();
    expect(report).toMatchObject({ fault: null });
    expect(report.rows).toBeGreaterThan(40);
  });
});

describe('with accounts.verifyEmail', () => {
  it('an attempt with the right password that is refused has a row too', async () => {
    const strict = await startTestPortal({ config: { accounts: { verifyEmail: true } } });
    try {
      const user = await createUser(strict);
      const { status } = await strict.client.post(`${API}/auth/login`, { email: user.email, password: PASSWORD });
      expect(status).toBeGreaterThanOrEqual(400);
      const rows = await strict.portal.database.select('SELECT action, subject_id, owner_id FROM portal_activities');
      expect(rows).toEqual([{ action: 'user.login_failed', subject_id: String(user.id), owner_id: user.id }]);
    } finally {
      await strict.stop();
    }
  });
});
