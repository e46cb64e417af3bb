import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { HostileIdp, isUser, startOidcPortal, type OidcPortal } from './support.js';

let idp: HostileIdp;
let elsewhere: HostileIdp;
let test: OidcPortal;
beforeAll(async () => {
  [idp, elsewhere] = await Promise.all([HostileIdp.start(), HostileIdp.start()]);
  test = await startOidcPortal({
    staff: {
      ...{ issuer: idp.url, label: 'Staff', developers: false },
      admins: { requiredGroups: ['staff'], roles: { editors: 'catalog_manager' } },
    },
    world: { issuer: elsewhere.url, label: 'World' },
  });
  await test.portal.services.rbac.seed();
});
afterAll(async () => {
  await test.stop();
  await Promise.all([idp.stop(), elsewhere.stop()]);
});

const BEGIN = '/admin/login/oidc/staff';

/** To the provider and back. @returns what the callback answered, not followed */
async function travel(page: PageClient, begin = BEGIN) {
  const begun = await page.get(begin, { follow: false });
  if (begun.status !== 303) throw new Error(`the journey began with ${begun.status}`);
  const away = new URL(begun.headers.get('location') ?? '');
  const answer = await fetch(away, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return { away, back, done: await page.get(back.pathname + back.search, { follow: false }) };
}

const isSignedIn = async (page: PageClient) => (await page.get('/admin/account', { follow: false })).status === 200;
let count = 0;
const newAdmin = async (groups = ['staff']) => {
  count += 1;
  const email = `sso${count}@example.com`;
  idp.behave(isUser(email, { groups }));
  return createAdmin(test, { email, roles: ['auditor'] });
};

describe('the login page of the console', () => {
  it('offers the providers of admins only, and the theme those of developers', async () => {
    const { html } = await new PageClient(test.client).get('/admin/login');
    expect(html).toContain(`href="${BEGIN}"`);
    expect(html).not.toContain('/oidc/world');
    const theme = await new PageClient(test.client).get('/portal/login');
    expect(theme.html).toContain('href="/portal/login/oidc/world"');
    expect(theme.html).not.toContain('/oidc/staff');
    expect((await new PageClient(test.client).get('/admin/login/oidc/world')).status).toBe(404);
  });
});

describe('an admin who signs in through a provider', () => {
  it('goes there with the callback of the console, and comes back to where they wanted to go', async () => {
    await newAdmin();
    const page = new PageClient(test.client);
    const { away, done } = await travel(page, `${BEGIN}?return_to=%2Fadmin%2Fusers`);
    expect(new URL(away.searchParams.get('redirect_uri') ?? '').pathname).toBe(`${BEGIN}/callback`);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/admin/users']);
    expect(page.setCookies.find((line) => line.startsWith('portal-oidc='))).toContain(
      'Path=/admin/login/oidc; HttpOnly',
    );
    expect(page.cookies.has('portal-oidc')).toBe(false);
    expect(await isSignedIn(page)).toBe(true);
    expect((await page.get('/portal/profile', { follow: false })).status).toBe(303);
  });

  it('gets the roles of their groups, and begins at home', async () => {
    const { id } = await newAdmin(['staff', 'editors']);
    const page = new PageClient(test.client);
    const { done } = await travel(page);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/admin']);
    const { roles } = await test.portal.services.rbac.grantsOf(id);
    expect(JSON.stringify(roles)).toContain('catalog_manager');
  });

  it.each([['is in none of the groups', ['visitors'], 403, 'There is no account here for this identity']])(
    'is told when they are refused: %s',
    async (_why, groups, status, text) => {
      await newAdmin(groups);
      const page = new PageClient(test.client);
      const { done } = await travel(page);
      expect([done.status, done.html]).toEqual([status, expect.stringContaining(text)]);
      expect(done.html).toContain('href="/admin/login"');
      expect(done.html).not.toContain('forgot-password');
      expect(await isSignedIn(page)).toBe(false);
    },
  );

  it('is not let in without an account, though a developer has the address', async () => {
    const { email } = await createUser(test);
    idp.behave(isUser(email, { groups: ['staff'] }));
    const page = new PageClient(test.client);
    expect((await travel(page)).done.status).toBe(403);
    expect(await isSignedIn(page)).toBe(false);
  });

  it('changes nothing by declining', async () => {
    await newAdmin();
    const page = new PageClient(test.client);
    const begun = await page.get(BEGIN, { follow: false });
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const done = await page.get(`${BEGIN}/callback?error=access_denied&state=${state}`, { follow: false });
    expect([done.status, done.html]).toEqual([200, expect.stringContaining('You were not signed in')]);
  });
});

describe('a way that began', () => {
  it('at the console ends neither in another browser, nor at the theme, nor twice (S81)', async () => {
    await newAdmin();
    const page = new PageClient(test.client);
    const begun = await page.get(BEGIN, { follow: false });
    const answer = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    const other = new PageClient(test.client);
    expect((await other.get(back.pathname + back.search, { follow: false })).status).toBe(422);
    const atTheme = back.pathname.replace('/admin/', '/portal/').replace('staff', 'world');
    expect((await page.copy().get(atTheme + back.search, { follow: false })).status).toBe(422);
    expect((await page.get(back.pathname + back.search, { follow: false })).status).toBe(303);
    const again = await page.copy().get(back.pathname + back.search, { follow: false });
    expect([again.status, again.headers.get('location')]).toEqual([303, '/admin']);
    expect(await isSignedIn(other)).toBe(false);
  });

  it('leads nowhere but below the console', async () => {
    for (const target of ['https://evil.example/', '//evil.example', '/portal/profile']) {
      await newAdmin();
      const { done } = await travel(new PageClient(test.client), `${BEGIN}?return_to=${encodeURIComponent(target)}`);
      expect([target, done.headers.get('location')]).toEqual([target, '/admin']);
    }
  });

  it('gives the browser a new session, whatever it brought', async () => {
    const admin = await newAdmin();
    const before = new PageClient(test.client);
    await before.submit('/admin/login', { email: admin.email, password: PASSWORD });
    const planted = before.cookies.get('portal-admin') ?? '';
    await before.submit('/admin/account', {}, { action: '/admin/logout' });
    const page = new PageClient(test.client);
    page.cookies.set('portal-admin', planted);
    await travel(page);
    expect(await isSignedIn(page)).toBe(true);
    expect(page.cookies.get('portal-admin')).not.toBe(planted);
  });
});
