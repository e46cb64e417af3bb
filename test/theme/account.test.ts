import { Mailbox, tokenOf } from '../support/mailbox.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { decoded, formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HIGH = {
  forgotPassword: { perIp: 10_000 },
  ip: { requests: { max: 10_000 } },
  login: { perAccountAndIp: { max: 3 } },
};
const ADA = { first_name: 'Ada', last_name: 'Lovelace', password: PASSWORD, password_confirmation: PASSWORD };

const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  const config = { limits: HIGH, accounts: { customAttributes: ['company', 'country_code'] } };
  test = await startTestPortal({ extensions: { mailer: () => box }, config });
});
afterAll(() => test.stop());

const browser = (portal = test) => new PageClient(portal.client);
const login = (page: PageClient, email: string, password = PASSWORD) =>
  page.submit('/portal/login', { email, password }, { follow: false });
const isSignedIn = async (page: PageClient) => (await page.get('/portal/profile', { follow: false })).status === 200;

describe('signing up', () => {
  it('makes an account, signs in and leads to the dashboard', async () => {
    const page = browser();
    const answer = await page.submit('/portal/register', { ...ADA, email: 'ada@example.com' }, { follow: false });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/portal/dashboard']);
    expect((await page.get('/portal/profile')).html).toContain('ada@example.com');
  });

  it('shows everything that is wrong beside its field and keeps what was typed, but no password', async () => {
    const fields = { first_name: '"><script>', last_name: '', email: 'ada@nowhere', password: PASSWORD };
    const { status, html } = await browser().submit('/portal/register', { ...fields, password_confirmation: 'other' });
    expect(status).toBe(422);
    expect(html).toMatch(/id="last_name-hint">\s*<p class="error">Please fill in this field/);
    expect(html).toMatch(/id="password_confirmation-hint">\s*<p class="error">The two passwords are not the same/);
    expect(formsOf(html).find(({ action }) => action === '/portal/register')?.fields).toMatchObject({
      ...{ first_name: '"><script>', email: 'ada@nowhere', password: '', password_confirmation: '' },
    });
    expect(html).not.toContain(PASSWORD);
    expect(html).not.toContain('"><script>');
  });

  it('refuses a taken address and a common password', async () => {
    const { email } = await createUser(test);
    expect((await browser().submit('/portal/register', { ...ADA, email })).html).toContain('already taken');
    const weak = { ...ADA, email: 'b@example.com', password: 'password1234', password_confirmation: 'password1234' };
    expect((await browser().submit('/portal/register', weak)).html).toContain('too common');
  });

  it('speaks Arabic, also of faults', async () => {
    const page = browser();
    await page.post('/portal/locale/ar', {});
    const answer = await page.submit('/portal/register', { ...ADA, email: 'c@example.com', password: 'short' });
    expect(answer.html).toContain('<html lang="ar" dir="rtl"');
    expect(decoded(answer.html)).toContain('كلمتا المرور غير متطابقتين');
  });

  it('asks for the mail first, alike for a taken address, where addresses are confirmed (S10)', async () => {
    const strict = await startTestPortal({
      extensions: { mailer: () => box },
      config: { accounts: { verifyEmail: true } },
    });
    const page = browser(strict);
    const first = await page.submit('/portal/register', { ...ADA, email: 'new@example.com' });
    const second = await browser(strict).submit('/portal/register', { ...ADA, email: 'new@example.com' });
    const plain = (html: string) => html.replace(/name="_csrf" value="[^"]*"/g, '');
    expect([first.status, plain(second.html)]).toEqual([200, plain(first.html)]);
    expect(first.html).toContain('Check your e-mail');
    expect(await box.take(strict, 'new@example.com')).toHaveLength(2);
    const refused = await page.submit('/portal/login', { email: 'new@example.com', password: PASSWORD });
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('is not confirmed yet')]);
    await page.post('/portal/verify-email', {
      ...(formsOf(refused.html).find(({ action }) => action === '/portal/verify-email')?.fields ?? {}),
    });
    const [mail] = await box.take(strict, 'new@example.com');
    const link = `/portal/verify-email/${tokenOf(mail)}`;
    for (let time = 0; time < 3; time += 1) expect((await browser(strict).get(link)).status).toBe(200);
    expect((await page.submit(link, {})).html).toContain('Your e-mail address is confirmed.');
    expect((await login(page, 'new@example.com')).status).toBe(303);
    const again = await browser(strict).submit(link, {});
    expect([again.status, again.html]).toEqual([422, expect.stringContaining('was used already')]);
    await strict.stop();
  });

  it('has a page for accounts that wait for approval, and none where sign-up is closed', async () => {
    const waiting = await startTestPortal({ config: { accounts: { defaultStatus: 'inactive' } } });
    const answer = await browser(waiting).submit('/portal/register', { ...ADA, email: 'd@example.com' });
    expect([answer.status, answer.html]).toEqual([200, expect.stringContaining('has to approve your account')]);
    await waiting.stop();
    const closed = await startTestPortal({ config: { accounts: { registration: false } } });
    const page = browser(closed);
    expect((await page.get('/portal/register')).status).toBe(404);
    expect((await page.get('/portal/login')).html).not.toContain('/register');
    const token = await page.csrf('/portal/login');
    expect((await page.post('/portal/register', { ...ADA, email: 'e@example.com', _csrf: token })).status).toBe(404);
    await closed.stop();
  });
});

describe('signing in', () => {
  it('refuses a wrong password, an unknown and a disabled account with one sentence (S08)', async () => {
    const { email } = await createUser(test);
    const disabled = await createUser(test, { status: 'inactive' });
    const pages = await Promise.all(
      [
        [email, 'wrong'],
        ['nobody@example.com', PASSWORD],
        [disabled.email, PASSWORD],
        [email, 'x'.repeat(600)],
      ].map(([typed = '', password]) => browser().submit('/portal/login', { email: typed, password: password ?? '' })),
    );
    for (const { status, html } of pages) {
      expect([status, html]).toEqual([422, expect.stringContaining('E-mail address or password is not correct.')]);
    }
    expect(pages[0]?.html).toContain(`value="${email}"`);
  });

  it('says when to try again after too many attempts', async () => {
    const { email } = await createUser(test);
    const page = browser();
    for (let time = 0; time < 3; time += 1) await page.submit('/portal/login', { email, password: 'wrong' });
    const answer = await page.submit('/portal/login', { email, password: PASSWORD });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    expect(answer.html).toContain('Please try again in 60 seconds.');
  });

  it('leads to what was asked for, and visitors of a page for developers here first', async () => {
    const { email } = await createUser(test);
    const page = browser();
    const asked = await page.get('/portal/profile?tab=1', { follow: false });
    const target = asked.headers.get('location') ?? '';
    expect([asked.status, target]).toEqual([303, '/portal/login?return_to=%2Fportal%2Fprofile%3Ftab%3D1']);
    const answer = await page.submit(target, { email, password: PASSWORD }, { action: '/portal/login', follow: false });
    expect(answer.headers.get('location')).toBe('/portal/profile?tab=1');
    expect((await page.get('/portal/login')).path).toBe('/portal/dashboard');
  });

  it.each([
    ...['//e.example', '/\\e.example', '\\\\e.example', '/\t/e.example', 'https:e.example', '///e.example'],
    ...['\u0000//e.example', ' //e.example', 'https://e.example/portal', 'javascript:alert(1)', '/portal/../e'],
    ...['/portalx', '/portal/%2e%2e/e', '/portal\\..\\e', 'x'.repeat(3_000), '@e.example'],
  ])('never leads to %j (S46)', async (target) => {
    const { email } = await createUser(test);
    const page = browser();
    const shown = await page.get(`/portal/login?return_to=${encodeURIComponent(target)}`);
    expect(formsOf(shown.html).some(({ fields }) => 'return_to' in fields && fields._csrf)).toBe(false);
    const _csrf = await page.csrf('/portal/login');
    const fields = { email, password: PASSWORD, return_to: target, _csrf };
    const answer = await page.post('/portal/login', fields, { follow: false });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/portal/dashboard']);
    const locale = await page.post('/portal/locale/en', { return_to: target }, { follow: false });
    expect([locale.status, locale.headers.get('location')]).toEqual([303, '/portal']);
  });

  it('changes the session id at login, proof of the password and logout, and adopts none (S36)', async () => {
    const user = await createUser(test);
    const page = browser();
    page.cookies.set('portal', 's%3Achosen-by-an-attacker.signature');
    await login(page, user.email);
    const first = page.copy();
    expect(first.cookies.get('portal')).not.toContain('chosen-by-an-attacker');
    const asked = await page.submit('/portal/profile', { email: 'other@example.com' });
    expect(asked.status).toBe(200);
    test.clock.advance(16 * 60);
    const stopped = await page.submit('/portal/profile', { email: 'third@example.com', first_name: 'Augusta' });
    expect([stopped.status, stopped.html]).toEqual([403, expect.stringContaining('Confirm it is you')]);
    const form = formsOf(stopped.html).find(({ fields }) => '_current_password' in fields);
    const wrong = await page.post('/portal/profile', { ...form?.fields, _current_password: 'wrong' });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('The password is not correct.')]);
    const passed = await page.post('/portal/profile', { ...form?.fields, _current_password: PASSWORD });
    expect(passed.html).toContain('third@example.com');
    expect(passed.html).toContain('Augusta');
    expect(page.cookies.get('portal')).not.toBe(first.cookies.get('portal'));
    expect([await isSignedIn(first), await isSignedIn(page)]).toEqual([false, true]);
    const last = page.copy();
    const left = await page.submit('/portal', {}, { action: '/portal/logout', follow: false });
    expect([left.headers.get('location'), left.headers.get('clear-site-data')]).toEqual([
      '/portal',
      '"cache", "storage"',
    ]);
    expect((await page.get('/portal')).html).toContain('You are signed out.');
    expect([await isSignedIn(last), await isSignedIn(page)]).toEqual([false, false]);
    expect(await test.portal.services.auth.sessions.list({ context: 'consumer', id: user.id })).toEqual([]);
  });
});

describe('the profile', () => {
  it('changes names and declared attributes, keeps what was typed when something is wrong, and drops the rest', async () => {
    const { email, id } = await createUser(test, {
      customAttributes: { company: 'Engines', oidc_sub: 'x', country_code: 49 },
    });
    const page = browser();
    await login(page, email);
    const names = {
      'custom_attributes[company]': 'Looms',
      'custom_attributes[oidc_sub]': 'y',
      role: 'admin',
      status: 'pending',
    };
    const wrong = await page.submit('/portal/profile', {
      ...names,
      first_name: '\u202e',
      'custom_attributes[country_code]': '44',
    });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('no control characters')]);
    const form = formsOf(wrong.html).find(({ action }) => action === '/portal/profile');
    expect(form?.fields).toMatchObject({
      'custom_attributes[company]': 'Looms',
      'custom_attributes[country_code]': '44',
    });
    expect((await page.submit('/portal/profile', { ...names, first_name: 'Augusta' })).html).toContain(
      'Your profile is saved.',
    );
    const user = await test.portal.services.accounts.users.find(id);
    expect(user).toMatchObject({ firstName: 'Augusta', status: 'active', email });
    expect(user.customAttributes).toEqual({ company: 'Looms', oidc_sub: 'x', country_code: 49 });
    await page.submit('/portal/profile', { 'custom_attributes[company]': '' });
    expect((await test.portal.services.accounts.users.find(id)).customAttributes).not.toHaveProperty('company');
  });

  it('takes another address only once its owner agrees, with the button and not by opening the link (S70)', async () => {
    const { email, id } = await createUser(test);
    const page = browser();
    await login(page, email);
    await box.take(test, email);
    const asked = await page.submit('/portal/profile', { email: 'Augusta@Example.com' });
    expect(asked.html).toContain('augusta@example.com replaces it as soon as');
    const [mail] = await box.take(test, 'augusta@example.com');
    const link = `/portal/verify-email/${tokenOf(mail)}`;
    await browser().get(link);
    expect((await test.portal.services.accounts.users.find(id)).email).toBe(email);
    const done = await page.submit(link, {});
    expect([done.path, done.html]).toEqual([
      '/portal/profile',
      expect.stringContaining('Your e-mail address is confirmed.'),
    ]);
    expect(await test.portal.services.accounts.users.find(id)).toMatchObject({
      email: 'augusta@example.com',
      pendingEmail: null,
    });
    expect(await box.take(test, email)).toHaveLength(1);
  });
});
