import { DeclarationError } from '../../src/core/index.js';
import { definePortalModule, type PortalModule } from '../../src/portal.js';
import { faultsOf, folderWith, resolve } from '../config/support.js';
import { createAdmin, createRole, createUser, PASSWORD } from '../support/factories.js';
import { formsOf, PageClient } from '../support/page-client.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { gateModule, type Memory } from './module-under-test.js';

const TEMPLATES = {
  'theme/pages/turnstile.hbs': `<p class="turnstile">{{t "turnstile.title"}} {{answers}} {{token}}</p>
<form method="post" action="{{path "/login/turnstile"}}">{{csrf}}<input name="answer" value=""></form>`,
  'lang/en.json':
    '{ "turnstile": { "title": "Turnstile", "sign-in": "Sign in with {name}", "question": "The answer" } }',
  'lang/ar.json': '{ "turnstile": { "title": "بوابة دوارة", "sign-in": "الدخول عبر {name}", "question": "الجواب" } }',
};

const memory: Memory = { seen: [], waiting: new Map(), stopped: false };
let templates: string;
let turnstile: PortalModule;
let test: TestPortal;
const start = (config: Record<string, unknown> = {}, modules: readonly PortalModule[] = [turnstile]) =>
  startTestPortal({ config, extensions: { modules } });

beforeAll(async () => {
  templates = await folderWith(TEMPLATES);
  turnstile = gateModule(memory, templates);
  test = await start({ turnstile: { greeting: 'good day' } });
});
afterAll(() => test.stop());

const login = (email: string) => test.client.post('/api/v1/auth/login', { email, password: PASSWORD });

describe('a module', () => {
  it('has settings under its name, from file and environment, checked with all others', async () => {
    expect((await test.client.get('/api/v1/turnstile')).json.data).toEqual({
      ...{ says: 'good day', keys: 1, page: expect.stringMatching(/\/portal\/turnstile$/) },
    });
    const given = { modules: [turnstile], turnstile: { greeting: 'rude', colour: 'red' } };
    const faults = await faultsOf(() => resolve(given, { TURNSTILE_ANSWERS: 'many' }));
    expect(faults).toEqual([
      expect.stringMatching(/^turnstile\.colour .* is not a setting/),
      expect.stringMatching(/^turnstile\.answers \(TURNSTILE_ANSWERS, from the environment\): must be a whole number/),
      expect.stringMatching(/^turnstile\.greeting \(TURNSTILE_GREETING, from .*: must be polite\. Fix: say hello\.$/),
    ]);
  });

  it('brings tables, in the one order of migrations', async () => {
    const names = (await test.portal.migrator.status()).map(({ name }) => name);
    expect(names).toContain('20260201000100-create-turnstile-passes');
    expect(names).toEqual([...names].sort());
  });

  it('brings endpoints, and permissions for their policies', async () => {
    await test.portal.services.rbac.seed();
    const may = await createAdmin(test, {
      roles: [await createRole(test, ['portal.admin.access', 'portal.turnstiles.view'])],
    });
    const not = await createAdmin(test, { roles: [await createRole(test, ['portal.admin.access'])] });
    const get = async (admin: typeof may) =>
      (await test.client.get('/api/v1/admin/turnstiles', { token: await signIn(test, admin) })).status;
    expect([await get(may), await get(not)]).toEqual([200, 403]);
  });

  it('brings pages with templates and words of its own, which a host may replace', async () => {
    const page = new PageClient(test.client);
    expect((await page.get('/portal/turnstile')).html).toContain('<p class="turnstile">Turnstile 42 </p>');
    expect((await page.get('/portal/turnstile?locale=ar')).html).toContain('بوابة دوارة');
    const replaced = startTestPortal({
      config: { theme: { viewsDir: await folderWith({ 'pages/turnstile.hbs': 'mine {{answers}}' }) } },
      extensions: { modules: [turnstile] },
    });
    const other = await replaced;
    expect((await new PageClient(other.client).get('/portal/turnstile')).html).toContain('mine 42');
    await other.stop();
    expect(memory.stopped).toBe(true);
  });

  it('shows its links on the login and registration page and in the menu of the account', async () => {
    const page = new PageClient(test.client);
    const link =
      '<a class="button button-wide" href="/portal/turnstile?return_to=%2Fportal%2Fapps">Sign in with Acme</a>';
    expect((await page.get('/portal/login?return_to=/portal/apps')).html).toContain(link);
    expect((await page.get('/portal/register?return_to=/portal/apps')).html).toContain(link);
    const { email } = await createUser(test);
    const { html } = await page.submit('/portal/login', { email, password: PASSWORD });
    expect(html).toContain('<a href="/portal/turnstile">Turnstile</a>');
  });

  it('listens to events, inside of what announces them and after it, and runs jobs', async () => {
    const { email } = await createUser(test, { email: 'heard@example.com' });
    expect((await login(email)).status).toBe(200);
    expect(memory.seen).toContain(`after ${email}`);
    const count = async () => (await test.portal.database.select('SELECT id FROM turnstile_passes')).length;
    expect(await count()).toBeGreaterThan(0);
    await test.portal.jobs.run('turnstile-sweep');
    expect(await count()).toBe(0);
  });
});

describe('the login of a module', () => {
  it('is one step for API and theme: challenged, met, and signed in with the tokens of the flow', async () => {
    const user = await createUser(test, { email: 'challenged@example.com' });
    const asked = await login(user.email);
    expect([asked.status, asked.json.message, asked.json.data]).toEqual([
      ...[202, 'Turnstile.', { challenge_token: `token-of-${user.id}`, expires_in: 300 }],
    ]);
    const answer = (text: string) =>
      test.client.post('/api/v1/auth/turnstile', { token: asked.json.data.challenge_token, answer: text });
    expect((await answer('41')).status).toBe(403);
    const { data } = (await answer('42')).json;
    expect((await test.client.get('/api/v1/me', { token: data.access_token })).status).toBe(200);
  });

  it('leads browsers to its page, which signs in and forgets the challenge', async () => {
    const page = new PageClient(test.client);
    const sent = await page.submit(
      '/portal/login?return_to=/portal/apps',
      { email: 'challenged@example.com', password: PASSWORD },
      { action: '/portal/login', follow: false },
    );
    expect(sent.headers.get('location')).toBe('/portal/login/turnstile?return_to=%2Fportal%2Fapps');
    const cookie = page.setCookies.find((line) => line.startsWith('portal-challenge='));
    expect(cookie).toMatch(/^portal-challenge=token-of-\d+; Max-Age=300; Path=\/portal; HttpOnly; SameSite=Lax/);
    expect((await page.get('/portal/apps', { follow: false })).status).toBe(303);
    const form = formsOf((await page.get('/portal/login/turnstile')).html).at(-1);
    expect(form?.action).toBe('/portal/login/turnstile');
    const wrong = await page.submit('/portal/login/turnstile', { answer: '41' });
    expect([wrong.status, page.cookies.has('portal-challenge')]).toEqual([422, true]);
    const right = await page.submit('/portal/login/turnstile', { answer: '42' }, { follow: false });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/portal/dashboard']);
    expect(page.cookies.has('portal-challenge')).toBe(false);
    expect((await page.get('/portal/apps', { follow: false })).status).toBe(200);
  });

  it('also runs for an account that proved itself otherwise', async () => {
    const { flow, directory } = test.portal.services.auth;
    const { id } = await createUser(test, { email: 'challenged-too@example.com' });
    const { account } = await directory.find({ context: 'consumer', id });
    const request = { ip: '127.0.0.1', userAgent: '', requestId: 'test' };
    expect(await flow.continueLogin(account, request as never)).toMatchObject({ kind: 'challenge' });
  });

  it('can refuse like a wrong password, and wraps the rules of the host', async () => {
    const { email } = await createUser(test, { email: 'unwelcome@example.com' });
    const refused = await login(email);
    const wrong = await test.client.post('/api/v1/auth/login', { email: 'nobody@example.com', password: PASSWORD });
    expect([refused.status, refused.json]).toEqual([401, wrong.json]);
    await new PageClient(test.client).submit('/portal/login', { email, password: PASSWORD });
    expect(memory.seen).toContain(`asked ${email}`);
  });

  it('can refuse somebody an account', async () => {
    const password = { password: PASSWORD, password_confirmation: PASSWORD };
    const body = { first_name: 'Ada', last_name: 'Lovelace', email: 'uninvited@example.com', ...password };
    const { status, json } = await test.client.post('/api/v1/auth/register', body);
    expect([status, json.errors]).toEqual([422, { email: ['Not invited.'] }]);
  });

  it('can keep an account behind a gate, in API and theme', async () => {
    const user = await createUser(test, { email: 'gated@example.com' });
    const token = await signIn(test, user);
    const { status, json } = await test.client.get('/api/v1/me', { token });
    expect([status, json.message]).toEqual([403, 'Turnstile closed.']);
    const page = new PageClient(test.client);
    const sent = await page.submit('/portal/login', { email: user.email, password: PASSWORD }, { follow: false });
    expect(sent.headers.get('location')).toBe('/portal/dashboard');
    const away = await page.get('/portal/dashboard', { follow: false });
    expect([away.status, away.headers.get('location')]).toEqual([303, '/portal/turnstile']);
    expect((await page.get('/portal/turnstile', { follow: false })).status).toBe(200);
    expect((await page.submit('/portal/turnstile', {}, { action: '/portal/logout', follow: false })).status).toBe(303);
  });

  it('can ask for more than the password where that has to be proved anew', async () => {
    const token = await signIn(test, await createUser(test, { email: 'careful@example.com' }));
    const prove = (body: object) =>
      test.client.post('/api/v1/me/reauthenticate', { password: PASSWORD, ...body }, { token });
    expect((await prove({})).json.errors).toEqual({ code: ['A verification code is needed.'] });
    expect((await prove({ code: '1' })).json.errors).toEqual({ code: ['Invalid verification code.'] });
    expect((await prove({ code: '42' })).status).toBe(200);
    const other = await signIn(test, await createUser(test));
    expect((await test.client.post('/api/v1/me/reauthenticate', { password: PASSWORD }, { token: other })).status).toBe(
      200,
    );
  });

  it('is asked on the page that asks for the password again', async () => {
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: 'careful@example.com', password: PASSWORD });
    test.clock.advance(16 * 60);
    const asked = await page.submit('/portal/profile', { email: 'other@example.com' });
    const form = formsOf(asked.html).find(({ fields }) => '_current_password' in fields);
    expect(Object.keys(form?.fields ?? {})).toContain('_current_code');
    const send = (code: string) =>
      page.post('/portal/profile', { ...form?.fields, _current_password: PASSWORD, _current_code: code });
    expect((await send('1')).html).toContain('verification code is missing or not correct');
    expect((await send('42')).status).toBe(200);
  });
});

describe('a module is refused', () => {
  it.each([
    ['a name that is no section', () => definePortalModule({ name: 'no-section' })],
    ['a migration without a place', () => definePortalModule({ name: 'm', migrations: { later: {} as never } })],
    ['a command of another name', () => definePortalModule({ name: 'm', commands: [{ name: 'serve' } as never] })],
  ])('for %s', (_why, define) => expect(define).toThrow(DeclarationError));

  it.each([
    ['a job of another name', { jobs: [{ name: 'mail', every: 1, exclusive: true, run: () => Promise.resolve() }] }],
    ['a flow that lacks a method', { authFlow: () => ({}) as never }],
  ])('for %s', async (_why, contribution) => {
    const module = definePortalModule({ name: 'broken', register: () => contribution });
    await expect(start({}, [module as PortalModule])).rejects.toThrow(DeclarationError);
  });

  it('for the name of a section, of another module, or none', async () => {
    const named = (name: string) => definePortalModule({ name });
    const modules = [named('mail'), named('twice'), named('twice'), {}];
    expect(await faultsOf(() => resolve({ modules }))).toEqual([
      expect.stringMatching(/^modules\[0\] .* is named "mail" like a section of the portal/),
      expect.stringMatching(/^modules\[1\] .* is named "twice" like another module/),
      expect.stringMatching(/^modules\[2\] .* is named "twice" like another module/),
      expect.stringMatching(/^modules\[3\] .* must be a module, made with definePortalModule/),
    ]);
  });

  it('for a migration that another one brings', async () => {
    const migration = { up: () => Promise.resolve(), down: () => Promise.resolve() };
    const bring = (name: string) =>
      definePortalModule<string>({ name, migrations: { '20260301000000-same': migration } });
    await expect(start({}, [bring('one'), bring('two')])).rejects.toThrow(/one and two both bring the migration/);
  });
});
