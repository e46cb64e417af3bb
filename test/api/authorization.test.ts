import { OWN_ACCOUNT, routePath } from '../../src/http/index.js';
import type { AdminRecord } from '../../src/domain/accounts/index.js';
import { createAdmin, createRole, createUser } from '../support/factories.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../support/test-portal.js';
import { issueTokens } from '../support/tokens.js';

const USERS = '/api/v1/admin/users';

interface Callers {
  test: TestPortal;
  /** A developer, an admin without roles, and one who may enter but do nothing. */
  developer: string;
  roleless: string;
  visitor: string;
}

async function startWithCallers(options: TestPortalOptions = {}): Promise<Callers> {
  const test = await startTestPortal(options);
  await test.portal.services.rbac.seed();
  const role = await createRole(test, ['portal.admin.access']);
  return {
    test,
    developer: await signIn(test, await createUser(test)),
    roleless: await signIn(test, await createAdmin(test)),
    visitor: await signIn(test, await createAdmin(test, { roles: [role] })),
  };
}

describe('every route', () => {
  let callers: Callers;
  beforeAll(async () => {
    callers = await startWithCallers();
  });
  afterAll(() => callers.test.stop());

  const guarded = (context: 'consumer' | 'admin') =>
    callers.test.portal.routes
      .filter((route) => route.context === context && route.auth === 'required')
      .map((route) => ({
        route,
        method: route.method.toUpperCase(),
        path: routePath(route, callers.test.portal.config.portalApi).replace(/:\w+/g, '1'),
      }));

  it('that needs a token refuses none, a broken one and one of the other context (S54)', async () => {
    const { test, developer, roleless } = callers;
    for (const context of ['consumer', 'admin'] as const) {
      const foreign = context === 'admin' ? developer : roleless;
      for (const { method, path } of guarded(context)) {
        for (const call of [{}, { token: 'broken' }, { token: `${foreign}x` }, { token: foreign }]) {
          const answer = await test.client.send(method, path, call);
          expect([method, path, answer.status, answer.json.message]).toEqual([method, path, 401, 'Unauthenticated.']);
          expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        }
      }
    }
  });

  it('of admins refuses an admin who lacks the permission, before it looks for anything', async () => {
    const { test, roleless, visitor } = callers;
    const routes = guarded('admin').filter(({ route }) => route.permission !== OWN_ACCOUNT);
    expect(routes.length).toBeGreaterThan(0);
    for (const { route, method, path } of routes) {
      // What any admin may ask for leaves out by itself what they may not view: the statistics.
      const mayEnter = route.permission === 'portal.admin.access' && route.policy === undefined;
      for (const token of mayEnter ? [roleless] : [roleless, visitor]) {
        const answer = await test.client.send(method, path, method === 'GET' ? { token } : { token, raw: '{broken' });
        expect([method, path, answer.status, answer.json.message]).toEqual([method, path, 403, 'Forbidden.']);
      }
    }
  });

  it('of admins lets in an admin with just what it declares', async () => {
    const { test } = callers;
    const tokens = new Map<string, string>();
    for (const { route, method, path } of guarded('admin')) {
      const { permission, policy } = route;
      const needed = [
        ...(permission === undefined || permission === OWN_ACCOUNT ? [] : [permission]),
        ...(policy ? [`portal.${policy[1]}.${policy[0]}`] : []),
      ];
      const name = needed.join();
      // Routes of the own account end sign-ins.
      if (name === '' || !tokens.has(name)) {
        const role = await createRole(test, ['portal.admin.access', ...needed]);
        const { accessToken } = await issueTokens(test, (await createAdmin(test, { roles: [role] })).id, 'admin');
        tokens.set(name, accessToken);
      }
      // A record that is not there: what becomes of one that is asks for rules of its own.
      const missing = path.replace(/\/1(?=\/|$)/g, '/999999999');
      const call = { token: tokens.get(name) ?? '', ...(method === 'GET' ? {} : { body: {} }) };
      const { status } = await test.client.send(method, missing, call);
      const entered = route.upload ? [404, 415] : [200, 404, 422];
      expect([name, method, missing, entered.includes(status) ? 'let in' : status]).toEqual([
        ...[name, method, missing],
        'let in',
      ]);
    }
  });

  it('answers other methods with 405 and the ones it has', async () => {
    const { test, visitor } = callers;
    for (const path of ['/api/v1/me', '/api/v1/admin/me', USERS]) {
      const answer = await test.client.send('PATCH', path, { token: visitor });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
    }
  });
});

describe('a change of roles or permissions', () => {
  it('acts within a second, in the middle of a sign-in (S61)', async () => {
    const { test } = await startWithCallers();
    const admin: AdminRecord = await createAdmin(test);
    const token = await signIn(test, admin);
    const status = async () => (await test.client.get(USERS, { token })).status;
    const { rbac } = test.portal.services;
    expect(await status()).toBe(403);
    await rbac.assignRoles({ adminId: admin.id, roles: ['support'], by: 'operator' });
    expect(await status()).toBe(200);
    // Straight in the database, as another replica would.
    await test.portal.database.execute(
      `DELETE FROM portal_role_permissions
        WHERE permission_id = (SELECT id FROM portal_permissions WHERE name = 'portal.users.view')`,
    );
    test.clock.advance(1);
    expect(await status()).toBe(403);
    await rbac.assignRoles({ adminId: admin.id, roles: ['super_admin'], by: 'operator' });
    expect(await status()).toBe(200);
    await test.stop();
  });
});

describe('the layers of authorization', () => {
  // [developer, admin without roles, admin with access only] on a list that asks for access and a policy.
  it.each([
    ['both on', {}, [401, 403, 403]],
    ['without route RBAC', { rbac: { enabled: false } }, [401, 403, 403]],
    ['without policies', { usePolicies: false }, [401, 403, 200]],
    ['both off', { rbac: { enabled: false }, usePolicies: false }, [401, 200, 200]],
  ])('%s', async (_case, portalApi, expected) => {
    const { test, developer, roleless, visitor } = await startWithCallers({ config: { portalApi } });
    const statuses: number[] = [];
    for (const token of [developer, roleless, visitor]) statuses.push((await test.client.get(USERS, { token })).status);
    await test.stop();
    expect(statuses).toEqual(expected);
  });

  it('are never switched by a row of the settings', async () => {
    const { test, roleless } = await startWithCallers();
    for (const key of ['portalApi.rbac.enabled', 'rbac.enabled', 'PORTAL_API_RBAC_ENABLED', 'portalApi.usePolicies']) {
      await test.portal.database.execute(
        `INSERT INTO portal_settings (setting_key, value, type, label, setting_group, is_public, created_at, updated_at)
          VALUES (?, '0', 'boolean', ?, 'rbac', 0, ?, ?)`,
        [key, key, test.clock.now(), test.clock.now()],
      );
    }
    test.clock.advance(2);
    expect((await test.client.get(USERS, { token: roleless })).status).toBe(403);
    await test.stop();
  });
});
