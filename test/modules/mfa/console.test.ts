import type { AdminRecord } from '../../../src/domain/accounts/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { formsOf, PageClient } from '../../support/page-client.js';
import { Person, startMfaPortal, type MfaPortal } from './support.js';

let test: MfaPortal;
let required: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal();
  required = await startMfaPortal({ admins: 'required' }, { config: { console: { path: 'backstage' } } });
  await Promise.all([test, required].map(({ portal }) => portal.services.rbac.seed()));
});
afterAll(() => Promise.all([test.stop(), required.stop()]));

const newAdmin = async (portal = test) =>
  new Person(portal, (await createAdmin(portal, { roles: ['super_admin'] })) satisfies AdminRecord);
const isSignedIn = async (page: PageClient, path = '/admin') =>
  (await page.get(`${path}/account`, { follow: false })).status === 200;
const typePassword = async (
  { account, test: { client } }: Person,
  path = '/admin/login',
  page = new PageClient(client),
) => {
  await page.submit(path, { email: account.email, password: PASSWORD }, { action: path.split('?', 1)[0] });
  return page;
};
const secretOf = (html: string) => /<code dir="ltr">([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
const codesOf = (html: string) =>
  [...html.matchAll(/<code dir="ltr">([0-9A-Z-]{14})<\/code>/g)].map(([, code]) => code);
/** The form that stands on a page and posts to an address which ends so. */
const formOf = (html: string, end: string) => {
  const form = formsOf(html).find(({ action }) => action.endsWith(end));
  if (!form) throw new Error(`no form posts to …${end}`);
  return form;
};

describe('an admin with a second factor at the console', () => {
  it('types a code before a session begins, and gets to where they wanted to go', async () => {
    const admin = await (await newAdmin()).withTotp();
    const page = await typePassword(admin, '/admin/login?return_to=%2Fadmin%2Fusers');
    expect(page.cookies.has('portal-admin')).toBe(false);
    expect(page.setCookies.find((line) => line.startsWith('portal-challenge='))).toMatch(
      /; Max-Age=300; Path=\/admin; HttpOnly; SameSite=Lax/,
    );
    expect(await isSignedIn(page)).toBe(false);
    const form = '/admin/login/mfa?return_to=%2Fadmin%2Fusers';
    const wrong = await page.submit(form, { code: admin.wrongCode() }, { action: '/admin/login/mfa' });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('This code is not right')]);
    const right = await page.submit(form, { code: admin.code() }, { action: '/admin/login/mfa', follow: false });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/admin/users']);
    expect(await isSignedIn(page)).toBe(true);
  });

  it('begins at the first page of the console without one', async () => {
    const admin = await (await newAdmin()).withTotp();
    const page = await typePassword(admin);
    const done = await page.submit('/admin/login/mfa', { code: admin.code() });
    expect([done.status, done.path]).toEqual([200, '/admin']);
  });

  it('has codes mailed again, in the language of the reader', async () => {
    const admin = await (await newAdmin()).withEmail();
    const page = await typePassword(admin);
    test.clock.advance(31);
    const shown = await page.get('/admin/login/mfa?locale=ar');
    expect(shown.html).toMatch(/<html lang="ar" dir="rtl"/);
    expect(shown.html).not.toMatch(/mfa[-.][a-z]+\.[a-z]/);
    await test.box.take(test, admin.account.email);
    await page.submit('/admin/login/mfa', {}, { action: '/admin/login/mfa/resend' });
    await page.submit('/admin/login/mfa', { code: await admin.mailedCode() });
    expect(await isSignedIn(page)).toBe(true);
  });

  it('proves password and code before what asks for a recent sign-in, and nothing typed is lost', async () => {
    const admin = await (await newAdmin()).withTotp();
    const page = await typePassword(admin);
    await page.submit('/admin/login/mfa', { code: admin.code() });
    test.clock.advance(16 * 60);
    const name = `second_look_${admin.account.id}`;
    const asked = await page.submit('/admin/roles/create', { name, label: 'Second look', description: 'Seen twice' });
    expect([asked.status, asked.html]).toEqual([403, expect.stringContaining('name="_current_password"')]);
    const replay = formOf(asked.html, '/roles/create');
    const half = await page.post(replay.action, { ...replay.fields, _current_password: PASSWORD });
    expect(half.status).toBe(422);
    const proof = { _current_password: PASSWORD, _current_code: admin.code() };
    const whole = await page.post(replay.action, { ...replay.fields, ...proof });
    expect([whole.status, whole.html]).toEqual([200, expect.stringContaining('Second look')]);
    const roles = await test.portal.services.rbac.roles();
    expect(roles.map((role) => role.name)).toContain(name);
  });
});

describe('a challenge of one surface', () => {
  it('opens nothing on the other', async () => {
    const admin = await (await newAdmin()).withTotp();
    const page = await typePassword(admin);
    const other = new PageClient(test.client);
    other.cookies.set('portal-challenge', page.cookies.get('portal-challenge') ?? '');
    const form = await other.get('/portal/login/mfa', { follow: false });
    expect([form.status, form.headers.get('location')]).toEqual([303, '/portal/login']);
    const ada = await new Person(test, await createUser(test)).withTotp();
    const theirs = new PageClient(test.client);
    await theirs.submit('/portal/login', { email: ada.account.email, password: PASSWORD });
    const visit = await theirs.get('/admin/login/mfa', { follow: false });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, '/admin/login']);
  });
});

describe('a console that requires a second factor', () => {
  const at = '/backstage';

  it('lets nobody in before they have set one up at the login, and shows recovery codes once', async () => {
    const admin = await newAdmin(required);
    const page = await typePassword(admin, `${at}/login`);
    expect(await isSignedIn(page, at)).toBe(false);
    const setup = await page.submit(`${at}/login/mfa/enrol`, {}, { action: `${at}/login/mfa/enrol/totp` });
    admin.secret = secretOf(setup.html);
    const form = formOf(setup.html, '/totp/confirm');
    expect((await page.post(form.action, { ...form.fields, code: admin.wrongCode() })).status).toBe(422);
    const done = await page.post(form.action, { ...form.fields, code: admin.code() });
    expect(done.path).toMatch(/^\/backstage\/settings\/mfa\/codes\?once=/);
    expect(codesOf(done.html)).toHaveLength(10);
    expect(await isSignedIn(page, at)).toBe(true);
    expect(codesOf((await page.get(done.path)).html)).toEqual([]);
    const mails = await required.box.take(required, admin.account.email);
    expect(mails.at(-1)?.text).toContain('/backstage/settings/mfa');
  });

  it('leads who came in before it did so to the settings, from every page', async () => {
    const before = await startMfaPortal({}, { databaseUrl: required.databaseUrl });
    try {
      const admin = await newAdmin(before);
      const page = (await typePassword(admin)).copy(required.client);
      for (const path of ['', '/users', '/account']) {
        const { status, headers } = await page.get(at + path, { follow: false });
        expect([path, status, headers.get('location')]).toEqual([path, 303, '/backstage/settings/mfa']);
      }
      expect((await page.get(`${at}/settings/mfa`)).status).toBe(200);
      expect((await page.submit(`${at}/settings/mfa`, {}, { action: `${at}/logout` })).path).toBe(
        `${at}/login?return_to=%2Fbackstage`,
      );
    } finally {
      await before.stop();
    }
  });
});

describe('the settings of an admin', () => {
  it('are linked in the menu of the account; factors are added, replaced and removed after a recent proof', async () => {
    const admin = await newAdmin();
    const page = await typePassword(admin);
    for (const path of ['/admin', '/admin/account']) {
      expect((await page.get(path)).html).toMatch(
        /class="button" href="\/admin\/settings\/mfa"|<a href="\/admin\/settings\/mfa"/,
      );
    }
    // The settings of the portal are another page.
    expect((await page.get('/admin/settings/mfa')).html).not.toMatch(/href="\/admin\/settings"[^>]*aria-current/);
    test.clock.advance(6 * 60);
    const asked = await page.submit('/admin/settings/mfa', {}, { action: '/admin/settings/mfa/totp' });
    expect(asked.status).toBe(403);
    const proved = formOf(asked.html, '/settings/mfa/totp');
    const setup = await page.post(proved.action, { ...proved.fields, _current_password: PASSWORD });
    admin.secret = secretOf(setup.html);
    const confirm = formOf(setup.html, '/totp/confirm');
    const codes = await page.post(confirm.action, { ...confirm.fields, code: admin.code() });
    expect(codesOf(codes.html)).toHaveLength(10);
    const drawn = await page.submit('/admin/settings/mfa', {}, { action: '/admin/settings/mfa/recovery-codes' });
    expect(codesOf(drawn.html)).toHaveLength(10);
    const removed = await page.submit('/admin/settings/mfa', {}, { action: '/admin/settings/mfa/totp/remove' });
    expect(removed.html).toContain('The factor is gone');
  });
});

describe('who lost their factor', () => {
  it.each([
    ['a developer', () => createUser(test), 'users'],
    ['an admin', () => createAdmin(test, { roles: ['auditor'] }), 'admins'],
  ])('%s gets it reset on their page, after a recent proof', async (_who, create, resource) => {
    const person = await new Person(test, await create()).withTotp();
    const page = await typePassword(await newAdmin());
    const path = `/admin/${resource}/${person.account.id}`;
    expect((await page.get(path)).html).toContain(`href="${path}/reset-mfa"`);
    test.clock.advance(16 * 60);
    const asked = await page.submit(`${path}/reset-mfa`, {});
    expect(asked.status).toBe(403);
    const form = formOf(asked.html, '/reset-mfa');
    const done = await page.post(form.action, { ...form.fields, _current_password: PASSWORD });
    expect([done.status, done.path]).toEqual([200, path]);
    expect((await person.login()).status).toBe(200);
  });

  it('is not reset by an admin who may not change accounts', async () => {
    const person = await new Person(test, await createUser(test)).withTotp();
    const auditor = new Person(test, await createAdmin(test, { roles: ['auditor'] }));
    const page = await typePassword(auditor);
    const path = `/admin/users/${person.account.id}`;
    expect((await page.get(path)).html).not.toContain('reset-mfa');
    expect((await page.get(`${path}/reset-mfa`)).status).toBe(403);
    const _csrf = await page.csrf('/admin/account');
    expect((await page.post(`${path}/reset-mfa`, { _csrf })).status).toBe(403);
    expect((await person.login()).status).toBe(202);
  });
});
