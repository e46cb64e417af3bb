import { connect } from 'node:net';
import { themePages } from '../../src/theme/index.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { decoded, formsOf, PageClient } from '../support/page-client.js';
import { signIn as apiSignIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const NEW_PASSWORD = 'a quite different battery';
const TABLES = ['users', 'sessions', 'web_sessions', 'account_links', 'mails', 'apps', 'credentials'];
const limits = { forgotPassword: { perIp: 10_000 }, ip: { requests: { max: 10_000 } } };

const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box }, config: { limits } });
});
afterAll(() => test.stop());

/** A browser that is signed in as a developer. */
async function signedIn(portal = test, overrides: Parameters<typeof createUser>[1] = {}) {
  const user = await createUser(portal, overrides);
  const page = new PageClient(portal.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
  return { user, page };
}
const isSignedIn = async (page: PageClient) => (await page.get('/portal/profile', { follow: false })).status === 200;
const apiStatus = async (token: string) => (await test.client.get('/api/v1/me', { token })).status;

async function everything({ portal }: TestPortal): Promise<string> {
  const tables = TABLES.map((table) => portal.database.select(`SELECT * FROM portal_${table} ORDER BY 1`));
  return JSON.stringify(await Promise.all(tables));
}
const sessionRows = async ({ portal }: TestPortal) =>
  (await portal.database.select('SELECT id FROM portal_web_sessions')).length;

describe('cookies', () => {
  it('are HttpOnly and SameSite=Lax on http', async () => {
    const { page } = await signedIn();
    await page.post('/portal/locale/en', {});
    const names = page.setCookies.map((line) => line.slice(0, line.indexOf('=')));
    expect(new Set(names)).toEqual(new Set(['portal', 'portal-csrf', 'portal-device', 'portal-locale']));
    for (const line of page.setCookies) {
      expect(line).toMatch(/; HttpOnly/);
      expect(line).toMatch(/; SameSite=Lax/);
      expect(line).not.toMatch(/Secure|Domain/);
    }
    expect(page.setCookies.find((line) => line.startsWith('portal-locale'))).toContain('; Max-Age=31536000');
  });

  it('are Secure on https, with the __Host- prefix where they mean something (S37)', async () => {
    const app = { url: 'https://portal.example', allowedHosts: ['127.0.0.1'] };
    const secure = await startTestPortal({ config: { app } });
    const { page } = await signedIn(secure);
    await page.post('/portal/locale/en', {});
    await page.submit('/portal', {}, { action: '/portal/logout' });
    const names = page.setCookies.map((line) => line.slice(0, line.indexOf('=')));
    expect(new Set(names)).toEqual(
      new Set(['__Host-portal', '__Host-portal-csrf', 'portal-device', 'portal-locale', 'portal-flash']),
    );
    for (const line of page.setCookies) {
      expect(line).toMatch(/; HttpOnly/);
      expect(line).toMatch(/; Secure/);
      expect(line).toMatch(/; SameSite=Lax/);
      if (line.startsWith('__Host-')) expect(line).toMatch(/; Path=\/(;|$)/);
    }
    await secure.stop();
  });

  it('are none for visitors who see no form, and no session begins for any GET (S41)', async () => {
    const before = await sessionRows(test);
    const page = new PageClient(test.client);
    for (const path of ['/portal', '/portal/nothing', '/portal/assets/portal.css']) await page.get(path);
    expect(page.setCookies).toEqual([]);
    for (const { method, path } of themePages) {
      if (method === 'get') await page.get(`/portal${path.replace(/:\w+/g, 'x')}`);
    }
    expect(await sessionRows(test)).toBe(before);
    expect(page.cookies.has('portal')).toBe(false);
  });
});

describe('a web session', () => {
  it('ends half an hour after the last request, and twelve hours after the sign-in in any case (S38)', async () => {
    const idle = await signedIn();
    test.clock.advance(29 * 60);
    expect(await isSignedIn(idle.page)).toBe(true);
    test.clock.advance(29 * 60);
    expect(await isSignedIn(idle.page)).toBe(true);
    test.clock.advance(31 * 60);
    const answer = await idle.page.get('/portal/profile', { follow: false });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining('/portal/login?')]);
    const busy = await signedIn();
    for (let quarter = 0; quarter < 47; quarter += 1) {
      test.clock.advance(15 * 60);
      await busy.page.get('/portal/profile');
    }
    expect(await isSignedIn(busy.page)).toBe(true);
    // A proof of the password gives a new id, not more time.
    const fields = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    const changed = await busy.page.submit('/portal/profile', fields, { action: '/portal/profile/password' });
    expect(changed.html).toContain('Your password is changed.');
    test.clock.advance(16 * 60);
    expect(await isSignedIn(busy.page)).toBe(false);
  });

  it('stays ended when a slower request of it comes to its end (S39)', async () => {
    const { page } = await signedIn();
    const slow = page.copy();
    const _csrf = await slow.csrf('/portal/profile');
    test.clock.advance(120);
    const body = new URLSearchParams({ _csrf, first_name: 'Slow' }).toString();
    const socket = connect(test.client.port, '127.0.0.1');
    let received = '';
    const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write(
      `POST /portal/profile HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: ${slow.cookieHeader}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // The session of the slow request is read by now: its token is still good below.
    await page.get('/portal');
    await page.submit('/portal', {}, { action: '/portal/logout' });
    const rows = await sessionRows(test);
    socket.write(body.slice(5));
    await ended;
    expect(received).toMatch(/^HTTP\/1.1 303 [^]*Location: \/portal\/login/);
    expect(await sessionRows(test)).toBe(rows);
    expect(await isSignedIn(slow)).toBe(false);
  });

  it('ends with the API sign-ins when the password changes; the one that changed it lives on (S40)', async () => {
    const { user, page } = await signedIn();
    const other = await signInAgain(user.email);
    const token = await apiSignIn(test, user);
    const fields = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    const wrong = { ...fields, current_password: 'wrong' };
    const action = '/portal/profile/password';
    expect((await page.submit('/portal/profile', wrong, { action })).html).toContain(
      'The current password is not correct.',
    );
    expect(await apiStatus(token)).toBe(200);
    const before = page.copy();
    expect((await page.submit('/portal/profile', fields, { action })).html).toContain('Your password is changed.');
    const states = [page, before, other].map((one) => isSignedIn(one));
    expect(await Promise.all(states)).toEqual([true, false, false]);
    expect(await apiStatus(token)).toBe(401);
  });

  it('ends with the API sign-ins when the password is reset (S40), and a reset signs nobody in', async () => {
    const { user, page } = await signedIn();
    const token = await apiSignIn(test, user);
    const visitor = new PageClient(test.client);
    const sent = await visitor.submit('/portal/forgot-password', { email: user.email });
    expect([sent.status, sent.html]).toEqual([200, expect.stringContaining('If there is an account')]);
    const link = `/portal/reset-password/${tokenOf((await box.take(test, user.email))[0])}`;
    const fields = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    const different = await visitor.submit(link, { ...fields, password_confirmation: 'x' });
    expect([different.status, different.html]).toEqual([422, expect.stringContaining('not the same')]);
    const done = await visitor.submit(link, fields);
    expect([done.path, done.html]).toEqual(['/portal/login', expect.stringContaining('Your password is changed.')]);
    expect([await isSignedIn(page), await isSignedIn(visitor), await apiStatus(token)]).toEqual([false, false, 401]);
    const again = await visitor.submit(link, fields);
    expect([again.status, again.html]).toEqual([422, expect.stringContaining('was used already')]);
  });

  it('ends when the account is disabled or deleted (S40)', async () => {
    const disabled = await signedIn();
    await test.portal.services.accounts.users.setStatus(disabled.user.id, 'inactive');
    expect(await isSignedIn(disabled.page)).toBe(false);
    const { user, page } = await signedIn();
    const [other, token] = [await signInAgain(user.email), await apiSignIn(test, user)];
    const asked = await page.submit('/portal/profile', {}, { action: '/portal/profile/delete' });
    expect([asked.status, asked.html]).toEqual([403, expect.stringContaining('Confirm it is you')]);
    const form = formsOf(asked.html).find(({ fields }) => '_current_password' in fields);
    const gone = await page.post('/portal/profile/delete', { ...form?.fields, _current_password: PASSWORD });
    expect(gone.html).toContain('Your account is deleted.');
    expect([await isSignedIn(page), await isSignedIn(other), await apiStatus(token)]).toEqual([false, false, 401]);
    await expect(test.portal.services.accounts.users.find(user.id)).rejects.toThrow('not found');
  });

  it('is listed with all others, and ends one by one or all but this one', async () => {
    const { user, page } = await signedIn();
    const others = [await signInAgain(user.email), await signInAgain(user.email)];
    const stranger = await signedIn();
    const action = '/portal/profile/sessions/revoke';
    const { html } = await page.get('/portal/profile');
    const ids = formsOf(html).flatMap((form) => (form.action === action && form.fields.id ? [form.fields.id] : []));
    expect(ids).toHaveLength(2);
    const _csrf = await page.csrf('/portal/profile');
    expect((await page.post(action, { _csrf, id: ids[0] ?? '' })).html).toContain('The sign-in has ended.');
    const states = await Promise.all([page, ...others].map(isSignedIn));
    expect(states.filter(Boolean)).toHaveLength(2);
    expect(
      (await stranger.page.post(action, { _csrf: await stranger.page.csrf('/portal/profile'), id: ids[1] ?? '' }))
        .status,
    ).toBe(404);
    expect((await page.post(action, { _csrf })).html).toContain('All other sign-ins have ended.');
    expect(await Promise.all([page, ...others].map(isSignedIn))).toEqual([true, false, false]);
  });

  const signInAgain = async (email: string) => {
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email, password: PASSWORD }, { follow: false });
    return page;
  };
});

describe('every form', () => {
  const posts = themePages.filter(({ method }) => method === 'post');

  it.each(posts.map((page) => [page.path, page] as const))('POST %s refuses forgeries (S42)', async (path, page) => {
    const { page: signed } = await signedIn();
    const { page: stranger } = await signedIn();
    const visitor = new PageClient(test.client);
    const own = await signed.csrf('/portal/profile');
    const [foreign, anonymous] = [await stranger.csrf('/portal/profile'), await visitor.csrf('/portal/login')];
    const target = `/portal${path.replace(':locale', 'en').replace(/:\w+/g, '1')}`;
    const fields = { email: 'victim@example.com', password: PASSWORD, first_name: 'Mallory' };
    const attempts = (who: PageClient, token: string) => [
      ...['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://localhost:1'].map((origin) =>
        who.post(target, { ...fields, _csrf: token }, { headers: { origin }, follow: false }),
      ),
      ...['cross-site', 'same-site'].map((site) =>
        who.post(target, { ...fields, _csrf: token }, { headers: { 'sec-fetch-site': site }, follow: false }),
      ),
      ...(page.originOnly
        ? []
        : [
            who.post(target, fields, { follow: false }),
            who.post(target, { ...fields, _csrf: 'x' }, { follow: false }),
          ]),
    ];
    const before = await everything(test);
    const answers = await Promise.all([
      ...attempts(signed, own),
      ...attempts(visitor, anonymous),
      ...(page.originOnly
        ? []
        : [signed, visitor].map((who) => who.post(target, { ...fields, _csrf: foreign }, { follow: false }))),
      ...(page.originOnly ? [] : [signed.post(target, { ...fields, _csrf: anonymous }, { follow: false })]),
    ]);
    for (const { status, html } of answers)
      expect([status, html]).toEqual([403, expect.stringContaining('not allowed')]);
    expect(await everything(test)).toBe(before);
  });

  it('is refused by GET, and in every other type than that of a form', async () => {
    const { page } = await signedIn();
    expect((await page.get('/portal/logout')).status).toBe(405);
    const _csrf = await page.csrf('/portal/profile');
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const headers = { cookie: page.cookieHeader };
      const answer = await test.client.send('POST', '/portal/logout', {
        raw: JSON.stringify({ _csrf }),
        type,
        headers,
      });
      expect(answer.status).toBe(415);
    }
    expect(await isSignedIn(page)).toBe(true);
  });
});

describe('pages', () => {
  it('are not kept by anybody, and say nothing to another host (S41, S47)', async () => {
    const { page } = await signedIn();
    for (const path of ['/portal', '/portal/login', '/portal/profile', '/portal/nothing']) {
      expect((await page.get(path, { follow: false })).headers.get('cache-control')).toBe('no-store');
    }
    const answer = await test.client.rawRequest(
      'GET /portal/login HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer.split('\r\n\r\n')[1]).not.toContain('evil');
  });

  it('mail links of the configured address, whatever the request calls itself (S47)', async () => {
    const { email } = await createUser(test);
    const visitor = new PageClient(test.client);
    const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    await visitor.submit('/portal/forgot-password', { email }, { headers });
    const [mail] = await box.take(test, email);
    expect(mail?.text).toContain(`${test.portal.config.app.url}/portal/reset-password/`);
    expect(mail?.text).not.toContain('evil');
  });

  it('say that something is wrong in a page of their own when sessions cannot be read', async () => {
    const broken = await startTestPortal();
    const { page } = await signedIn(broken);
    await broken.portal.database.execute('DROP TABLE portal_web_sessions');
    const { status, headers, html } = await page.get('/portal/login');
    expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(html).toContain('Something went wrong');
    await broken.stop();
  });

  it('take nothing but values from queries, and templates from nowhere (S67)', async () => {
    const texts = { firstName: '{{constructor}}', lastName: '{{> theme::header}}<b>' };
    const { page } = await signedIn(test, texts);
    const query =
      '?layout=../../package&settings[views]=/etc&settings[view%20options][layout]=x&partials=x&cache=false&body=x' +
      '&__proto__[problem]=x&constructor=x&errors[email]=x&title=evil&data[scene]=x';
    for (const path of ['/portal', '/portal/profile', '/portal/forgot-password', '/portal/verify-email/x']) {
      const [plain, asked] = [await page.get(path), await page.get(path + query)];
      expect([asked.status, asked.html]).toEqual([plain.status, plain.html]);
    }
    const { html } = await page.get('/portal/profile');
    expect(decoded(html)).toContain('value="{{constructor}}"');
    expect(decoded(html)).toContain('{{constructor}} {{> theme::header}}<b>');
    expect(html).not.toContain('<b>');
  });
});
