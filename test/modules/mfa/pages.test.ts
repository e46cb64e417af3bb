import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../src/core/manifest.js';
import { createUser, PASSWORD } from '../../support/factories.js';
import { decoded, formsOf, PageClient } from '../../support/page-client.js';
import { Person, startMfaPortal, type MfaPortal } from './support.js';

let test: MfaPortal;
let required: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal();
  required = await startMfaPortal({ developers: 'required' });
});
afterAll(() => Promise.all([test.stop(), required.stop()]));

const developer = async (portal = test) => new Person(portal, await createUser(portal));
const isSignedIn = async (page: PageClient) => (await page.get('/portal/profile', { follow: false })).status === 200;
const typePassword = ({ account, test: { client } }: Person, page = new PageClient(client), path = '/portal/login') =>
  page.submit(path, { email: account.email, password: PASSWORD }, { action: '/portal/login' }).then(() => page);
const secretOf = (html: string) => /<code dir="ltr">([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
const codesOf = (html: string) =>
  [...html.matchAll(/<code dir="ltr">([0-9A-Z-]{14})<\/code>/g)].map(([, code]) => code);

describe('the login in the browser', () => {
  it('asks for a code, keeps where one wanted to go, and begins a session under a new id no sooner than it was right', async () => {
    const person = await (await developer()).withTotp();
    const page = await typePassword(person, undefined, '/portal/login?return_to=%2Fportal%2Fapps');
    expect(page.cookies.has('portal')).toBe(false);
    expect(page.setCookies.find((line) => line.startsWith('portal-challenge='))).toMatch(
      /; Max-Age=300; Path=\/portal; HttpOnly; SameSite=Lax/,
    );
    for (const path of ['/portal/profile', '/portal/apps', '/portal/settings/mfa']) {
      expect((await page.get(path, { follow: false })).status).toBe(303);
    }
    const form = '/portal/login/mfa?return_to=%2Fportal%2Fapps';
    const wrong = await page.submit(form, { code: person.wrongCode() }, { action: '/portal/login/mfa' });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('This code is not right')]);
    const right = await page.submit(form, { code: person.code() }, { action: '/portal/login/mfa', follow: false });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/portal/apps']);
    expect(page.cookies.has('portal-challenge')).toBe(false);
    expect(await isSignedIn(page)).toBe(true);
  });

  it('takes recovery codes, leads back when the challenge is over, and refuses forms without a token', async () => {
    const person = await (await developer()).withTotp();
    const page = await typePassword(person);
    const token = await page.csrf('/portal/login/mfa');
    expect((await page.post('/portal/login/mfa', { code: person.code() })).status).toBe(403);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await page.post('/portal/login/mfa', { _csrf: token, code: person.code() }, { headers })).status).toBe(403);
    const late = page.copy();
    await page.submit('/portal/login/mfa', { code: person.recoveryCodes[0] ?? '' });
    expect(await isSignedIn(page)).toBe(true);
    const over = await late.get('/portal/login/mfa', { follow: false });
    expect([over.status, over.headers.get('location')]).toEqual([303, '/portal/login']);
    expect(
      (await late.post('/portal/login/mfa', { _csrf: token, code: person.code() }, { follow: false })).status,
    ).toBe(303);
    expect(await isSignedIn(late)).toBe(false);
    expect((await new PageClient(test.client).get('/portal/login/mfa', { follow: false })).status).toBe(303);
  });

  it('mails codes, in the words of the reader', async () => {
    const person = await (await developer()).withEmail();
    const page = await typePassword(person);
    test.clock.advance(31);
    const shown = await page.get('/portal/login/mfa?locale=ar');
    expect(shown.html).toMatch(/<html lang="ar" dir="rtl"/);
    expect(shown.html).not.toMatch(/mfa[-.][a-z]+\.[a-z]/);
    await test.box.take(test, person.account.email);
    await page.submit('/portal/login/mfa', {}, { action: '/portal/login/mfa/resend' });
    await page.submit('/portal/login/mfa', { code: await person.mailedCode() });
    expect(await isSignedIn(page)).toBe(true);
  });

  it('says when there were too many guesses', async () => {
    const person = await (await developer()).withTotp();
    const page = await typePassword(person);
    let last = 0;
    for (let count = 0; count < 6; count += 1) {
      last = (await page.submit('/portal/login/mfa', { code: person.wrongCode() })).status;
    }
    expect(last).toBe(429);
  });
});

describe('enrolment at the login, where a factor is required', () => {
  it('shows a picture, takes the first code, shows recovery codes once and lets in', async () => {
    const person = await developer(required);
    const page = await typePassword(person);
    expect(await isSignedIn(page)).toBe(false);
    const setup = await page.submit('/portal/login/mfa/enrol', {}, { action: '/portal/login/mfa/enrol/totp' });
    expect(setup.html).toContain('<img src="data:image/svg+xml;base64,');
    expect(setup.headers.get('content-security-policy')).toContain("style-src 'self'");
    person.secret = secretOf(setup.html);
    const [form] = formsOf(setup.html).filter(({ action }) => action.endsWith('/totp/confirm'));
    const wrong = await page.post(form?.action ?? '', { ...form?.fields, code: person.wrongCode() });
    expect(wrong.status).toBe(422);
    const done = await page.post(form?.action ?? '', { ...form?.fields, code: person.code() });
    expect(codesOf(done.html)).toHaveLength(10);
    expect(await isSignedIn(page)).toBe(true);
  });

  it('works with codes by mail too, after signing up', async () => {
    const page = new PageClient(required.client);
    const names = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada-page@example.com' };
    const answer = await page.submit('/portal/register', {
      ...names,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
    expect([answer.path, answer.status]).toEqual(['/portal/login/mfa/enrol', 200]);
    const asked = await page.submit('/portal/login/mfa/enrol', {}, { action: '/portal/login/mfa/enrol/email' });
    const [form] = formsOf(asked.html).filter(({ action }) => action.endsWith('/email/confirm'));
    const mails = await required.box.take(required, names.email);
    const code = mails.map(({ subject }) => /\b\d{6}\b/.exec(subject)?.[0]).find(Boolean) ?? '';
    const done = await page.post(form?.action ?? '', { ...form?.fields, code });
    expect(codesOf(done.html)).toHaveLength(10);
    expect(await isSignedIn(page)).toBe(true);
  });
});

describe('/settings/mfa', () => {
  it('sets up, replaces and removes factors; each asks for a fresh proof', async () => {
    const person = await developer();
    const page = await typePassword(person);
    expect((await page.get('/portal/dashboard')).html).toContain('/portal/settings/mfa');
    const setup = await page.submit('/portal/settings/mfa', {}, { action: '/portal/settings/mfa/totp' });
    person.secret = secretOf(setup.html);
    const [form] = formsOf(setup.html).filter(({ action }) => action.endsWith('/totp/confirm'));
    const done = await page.post(form?.action ?? '', { ...form?.fields, code: person.code() });
    expect(codesOf(done.html)).toHaveLength(10);
    expect(await isSignedIn(page)).toBe(true);
    test.clock.advance(301);
    const asked = await page.submit('/portal/settings/mfa', {}, { action: '/portal/settings/mfa/recovery-codes' });
    expect([asked.status, asked.html]).toEqual([403, expect.stringContaining('_current_code')]);
    const [confirm] = formsOf(asked.html).filter(({ fields }) => '_current_password' in fields);
    const half = await page.post(confirm?.action ?? '', { ...confirm?.fields, _current_password: PASSWORD });
    expect(half.status).toBe(422);
    const proof = { _current_password: PASSWORD, _current_code: person.code() };
    const renewed = await page.post(confirm?.action ?? '', { ...confirm?.fields, ...proof });
    expect(codesOf(renewed.html)).toHaveLength(10);
    expect(codesOf(renewed.html)).not.toEqual(codesOf(done.html));
    const removed = await page.submit('/portal/settings/mfa', {}, { action: '/portal/settings/mfa/totp/remove' });
    expect([removed.status, decoded(removed.html)]).toEqual([200, expect.stringContaining('The factor is gone')]);
  });

  it('is complete in both languages', async () => {
    const keys = (locale: string) => {
      const file = join(packageFolder(), 'templates/modules/mfa/lang', `${locale}.json`);
      const walk = (node: object, path: string): string[] =>
        Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
          typeof value === 'string' ? [`${path}${key}`] : walk(value as object, `${path}${key}.`),
        );
      return walk(JSON.parse(readFileSync(file, 'utf8')) as object, '');
    };
    const plural = /\.(zero|one|two|few|many|other)$/;
    const plain = (all: string[]) => [...new Set(all.map((key) => key.replace(plural, '')))].sort();
    expect(plain(keys('ar'))).toEqual(plain(keys('en')));
    const person = await (await developer()).withEmail();
    const page = await typePassword(person);
    await page.submit('/portal/login/mfa', { code: await person.mailedCode() });
    for (const locale of ['en', 'ar']) {
      const { html, status } = await page.get(`/portal/settings/mfa?locale=${locale}`);
      expect([status, /\bmfa[-.][a-z-]+\.[a-z]/.test(html)]).toEqual([200, false]);
    }
  });
});
