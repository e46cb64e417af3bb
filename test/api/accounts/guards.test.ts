import { UnauthenticatedError, type ApiGuard, type ApiGuardParts } from '../../../src/index.js';
import { createAdmin, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ME = '/api/v1/me';
const ADMIN_ME = '/api/v1/admin/me';

let test: TestPortal;
afterEach(() => test.stop());

type Factory = (parts: ApiGuardParts) => ApiGuard;

async function start(guards: Readonly<Record<string, Factory>>, named: { consumer?: string; admin?: string }) {
  // On one replica: each makes its own.
  test = await startTestPortal({ replicas: 1, config: { portalApi: { guards: named } }, extensions: { guards } });
  await test.portal.services.rbac.seed();
  return {
    developer: await signIn(test, await createUser(test)),
    admin: await signIn(test, await createAdmin(test, { roles: ['super_admin'] })),
  };
}

const statusOf = async (path: string, token: string) => (await test.client.get(path, { token })).status;

/** The guard that ships, and beside it a pass that no sign-in gives. */
function withPass(open: (parts: ApiGuardParts) => ReturnType<ApiGuard['authenticate']>): Factory {
  return (parts) => ({
    authenticate: (token, request) => (token === 'pass' ? open(parts) : parts.standard.authenticate(token, request)),
  });
}

describe('the guards that the configuration names', () => {
  it('are api and admin by default, each for its own routes', async () => {
    const { developer, admin } = await start({}, {});
    expect(test.portal.config.portalApi.guards).toEqual({ consumer: 'api', admin: 'admin' });
    expect([await statusOf(ME, developer), await statusOf(ADMIN_ME, admin)]).toEqual([200, 200]);
    expect([await statusOf(ME, admin), await statusOf(ADMIN_ME, developer)]).toEqual([401, 401]);
  });

  it('may be the host\u2019s, which is made once, for the context that names it, and asked with every request', async () => {
    const made: ApiGuardParts[] = [];
    const closed: Factory = (parts) => {
      made.push(parts);
      return {
        authenticate: async (token, request) => {
          const actor = await parts.standard.authenticate(token, request);
          if (request.userAgent === 'node') return actor;
          throw new UnauthenticatedError();
        },
      };
    };
    const { developer, admin } = await start({ office: closed }, { admin: 'office' });
    expect(made.map(({ context }) => context)).toEqual(['admin']);
    expect([await statusOf(ADMIN_ME, admin), await statusOf(ME, developer)]).toEqual([200, 200]);
    const other = await test.client.get(ADMIN_ME, { token: admin, headers: { 'user-agent': 'elsewhere' } });
    expect([other.status, other.json.message]).toEqual([401, 'Unauthenticated.']);
    expect(await statusOf(ME, developer)).toBe(200);
  });

  it('are replaced by one of the same name, and not by one that nobody names', async () => {
    const nobody: Factory = () => ({ authenticate: () => Promise.reject(new UnauthenticatedError()) });
    const { developer, admin } = await start({ api: nobody, unused: nobody }, {});
    expect([await statusOf(ME, developer), await statusOf(ADMIN_ME, admin)]).toEqual([401, 200]);
    // Where a token may be missing, one that is refused counts as none.
    expect(await statusOf('/api/v1/api-products', developer)).toBe(200);
  });

  it('never make a developer an admin, or an admin a developer, whatever a host\u2019s guard says (S61)', async () => {
    const ids = { consumer: 0, admin: 0 };
    const opposites = async ({ context, sessions }: ApiGuardParts) => {
      const opposite = context === 'admin' ? 'consumer' : 'admin';
      const id = ids[opposite];
      const [session] = await sessions.list({ context: opposite, id });
      const actor = await sessions.authenticate(session?.sid ?? '', opposite, 'api');
      if (!actor) throw new Error('nobody is signed in');
      return actor;
    };
    await start({ api: withPass(opposites), admin: withPass(opposites) }, {});
    const [user, root] = [await createUser(test), await createAdmin(test, { roles: ['super_admin'] })];
    await signIn(test, user);
    await signIn(test, root);
    Object.assign(ids, { consumer: user.id, admin: root.id });
    expect([await statusOf(ME, 'pass'), await statusOf(ADMIN_ME, 'pass')]).toEqual([401, 401]);
    expect(await statusOf('/api/v1/admin/users', 'pass')).toBe(401);
  });

  it('stop the start when what a factory returns is no guard', async () => {
    const forgotten = (() => undefined) as unknown as Factory;
    await expect(start({ office: forgotten }, { admin: 'office' })).rejects.toThrow(
      'guards.office of portal.config.ts must return an object with authenticate.',
    );
    await start({ office: forgotten }, {});
  });
});
