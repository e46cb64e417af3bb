import { createAdmin, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const NEXT = 'a wholly different sentence of mine';
const signIn = async (email: string, password = PASSWORD) => {
  const page = new PageClient(test.client);
  await page.submit('/admin/login', { email, password });
  return page;
};
const isSignedIn = async (page: PageClient) => (await page.get('/admin/account', { follow: false })).status === 200;
const newAdmin = () => createAdmin(test, { roles: ['auditor'] });

describe('the own account at the console', () => {
  it('shows who one is and takes a new name, which the header has at once', async () => {
    const { email, id } = await newAdmin();
    const page = await signIn(email);
    const { html } = await page.get('/admin/account');
    for (const shown of [email, 'auditor', 'href="/admin/account"']) expect(html).toContain(shown);
    const saved = await page.submit('/admin/account', { name: 'Rear Admiral Hopper' });
    expect([saved.path, saved.html]).toEqual(['/admin/account', expect.stringContaining('Your profile is saved')]);
    expect(saved.html).toMatch(/menu-head"><bdi>Rear Admiral Hopper/);
    expect((await test.portal.services.accounts.admins.find(id)).name).toBe('Rear Admiral Hopper');
    const empty = await page.submit('/admin/account', { name: '' });
    expect([empty.status, empty.html]).toEqual([422, expect.stringContaining('class="error"')]);
  });

  it('does not write over what somebody else changed meanwhile', async () => {
    const { email, id } = await newAdmin();
    const page = await signIn(email);
    const form = formsOf((await page.get('/admin/account')).html).find(({ fields }) => '_version' in fields);
    test.clock.advance(2);
    await test.portal.services.accounts.admins.updateProfile(id, { name: 'By another hand' });
    const { status, html } = await page.post('/admin/account', { ...form?.fields, name: 'By my own' });
    expect([status, html]).toEqual([412, expect.stringContaining('role="alert"')]);
    expect((await test.portal.services.accounts.admins.find(id)).name).toBe('By another hand');
  });

  it('changes the password under a new session; every other sign-in ends', async () => {
    const { email } = await newAdmin();
    const [page, other] = [await signIn(email), await signIn(email)];
    const wrong = { current_password: 'wrong', password: NEXT, password_confirmation: NEXT };
    expect((await page.submit('/admin/account', wrong, { action: '/admin/account/password' })).status).toBe(422);
    const short = { current_password: PASSWORD, password: 'short', password_confirmation: 'short' };
    expect((await page.submit('/admin/account', short, { action: '/admin/account/password' })).status).toBe(422);
    const before = page.cookies.get('portal-admin');
    const right = { current_password: PASSWORD, password: NEXT, password_confirmation: NEXT };
    const done = await page.submit('/admin/account', right, { action: '/admin/account/password' });
    expect(done.html).toContain('Your password is changed');
    expect(page.cookies.get('portal-admin')).not.toBe(before);
    expect([await isSignedIn(page), await isSignedIn(other)]).toEqual([true, false]);
    expect(await isSignedIn(await signIn(email))).toBe(false);
    expect(await isSignedIn(await signIn(email, NEXT))).toBe(true);
  });

  it('lists where one is signed in, ends one of them, or all', async () => {
    const { email } = await newAdmin();
    const [page, second, third] = [await signIn(email), await signIn(email), await signIn(email)];
    const { html } = await page.get('/admin/account');
    const ends = formsOf(html).filter(({ action }) => action === '/admin/account/sessions/end');
    expect(ends).toHaveLength(2);
    const ended = await page.post('/admin/account/sessions/end', ends[0]?.fields ?? {});
    expect(ended.html).toContain('The sign-in has ended');
    expect([await isSignedIn(second), await isSignedIn(third)].filter(Boolean)).toHaveLength(1);
    const all = await page.submit('/admin/account', {}, { action: '/admin/account/sessions/end-all' });
    expect([all.path, all.html]).toEqual(['/admin/login', expect.stringContaining('You are signed out')]);
    expect(await Promise.all([page, second, third].map(isSignedIn))).toEqual([false, false, false]);
  });

  it('ends no sign-in of somebody else', async () => {
    const [mine, theirs] = await Promise.all([newAdmin(), newAdmin()]);
    const [page, other] = [await signIn(mine.email), await signIn(theirs.email)];
    const [session] = await test.portal.services.auth.sessions.list({ context: 'admin', id: theirs.id });
    const _csrf = await page.csrf('/admin/account');
    expect((await page.post('/admin/account/sessions/end', { _csrf, id: session?.sid ?? '' })).status).toBe(404);
    expect(await isSignedIn(other)).toBe(true);
  });
});
