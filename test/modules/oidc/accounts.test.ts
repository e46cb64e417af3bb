import { AuthFlow, type RegistrationCandidate } from '../../../src/index.js';
import { mfa } from '../../../src/modules/mfa/index.js';
import { oidc } from '../../../src/modules/oidc/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { tokenOf } from '../../support/mailbox.js';
import { PageClient } from '../../support/page-client.js';
import { signIn } from '../../support/sign-in.js';
import { ApiJourney, HostileIdp, isUser, startOidcPortal, type OidcPortal } from './support.js';

let idp: HostileIdp;
let other: HostileIdp;
let test: OidcPortal;
beforeAll(async () => {
  [idp, other] = [await HostileIdp.start(), await HostileIdp.start()];
  test = await startOidcPortal({ main: { issuer: idp.url }, other: { issuer: other.url } });
});
afterAll(async () => {
  await test.stop();
  await Promise.all([idp.stop(), other.stop()]);
});
let count = 0;
let email = '';
beforeEach(() => {
  count += 1;
  email = `person${count}@example.com`;
  idp.behave(isUser(email));
  other.behave(isUser(email));
});

const users = () => test.portal.services.accounts.users;
const verifiedUser = (address = email) => createUser(test, { email: address, emailVerifiedAt: test.clock.now() });
const whose = async (token: string, portal = test) =>
  (await portal.client.get('/api/v1/me', { token })).json.data as { id: number; email: string };
const through = (provider = 'main', token?: string) =>
  new ApiJourney(test, { provider, ...(token === undefined ? {} : { token }) }).whole();

describe('a developer without an account', () => {
  it('gets one, with the address proved, a password that nobody knows and the identity of the provider', async () => {
    const { id } = await whose((await through()).json.data.access_token);
    const user = await users().find(id);
    expect(user).toMatchObject({ email, firstName: 'Ada', lastName: 'Lovelace', status: 'active' });
    expect(user.emailVerifiedAt).not.toBeNull();
    expect(user.customAttributes).toEqual({ oidc_provider_id: `sub of ${email}` });
    const guess = await test.client.post('/api/v1/auth/login', { email, password: PASSWORD });
    expect([guess.status, guess.json.message]).toEqual([401, 'Invalid credentials.']);
  });

  it('two at once make one account', async () => {
    const answers = await Promise.all([through(), through(), through()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = await Promise.all(answers.map(async ({ json }) => (await whose(json.data.access_token)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it.each([
    ['hostile names', { given_name: '<script>\u0000\u202e', family_name: 'x'.repeat(300) }],
    ['no names', { given_name: undefined, family_name: undefined }],
    ['names of another type', { given_name: { a: 1 }, family_name: ['x'] }],
  ])('%s do not keep anybody out', async (_what, names) => {
    Object.assign(idp.claims, names);
    expect((await through()).status).toBe(200);
    const found = await users().findByEmail(email);
    expect(found?.user.firstName).toMatch(/^[^\p{C}]{1,100}$/u);
  });

  it('waits for an admin where new accounts do', async () => {
    const careful = await startOidcPortal(
      { main: { issuer: idp.url } },
      { config: { accounts: { defaultStatus: 'inactive' } } },
    );
    try {
      const first = await new ApiJourney(careful).whole();
      expect([first.status, first.json.message]).toEqual([403, 'Account pending approval.']);
      const again = await new ApiJourney(careful).whole();
      expect([again.status, again.json.message]).toEqual([401, 'Invalid credentials.']);
      const { users } = careful.portal.services.accounts;
      await users.setStatus((await users.findByEmail(email))?.user.id ?? 0, 'active');
      expect((await new ApiJourney(careful).whole()).status).toBe(200);
    } finally {
      await careful.stop();
    }
  });

  it('gets none where a rule of the host refuses the address, and is told why', async () => {
    class ColleaguesOnly extends AuthFlow {
      override async mayRegister(candidate: RegistrationCandidate) {
        return candidate.email.endsWith('@acme.example') || 'Please use an e-mail address of "acme.example".';
      }
    }
    const ruled = await startOidcPortal(
      { main: { issuer: idp.url } },
      { extensions: { authFlow: (parts) => new ColleaguesOnly(parts) } },
    );
    try {
      const refused = await new ApiJourney(ruled).whole();
      const sentence = 'Please use an e-mail address of "acme.example".';
      expect([refused.status, refused.json.errors]).toEqual([422, { email: [sentence] }]);
      const page = new PageClient(ruled.client);
      const begun = await page.get('/portal/login/oidc/main', { follow: false });
      const back = await new ApiJourney(ruled).visit(new URL(begun.headers.get('location') ?? ''));
      const shown = await page.get(back.pathname + back.search, { follow: false });
      const said = 'Please use an e-mail address of acme.example.';
      expect([shown.status, shown.html]).toEqual([422, expect.stringContaining(said)]);
      expect(await ruled.portal.services.accounts.users.findByEmail(email)).toBeNull();
      email = `colleague${count}@acme.example`;
      idp.behave(isUser(email));
      expect((await new ApiJourney(ruled).whole()).status).toBe(200);
    } finally {
      await ruled.stop();
    }
  });

  it('gets none where nobody signs up, or the provider may not make accounts', async () => {
    const closed = await startOidcPortal(
      { main: { issuer: idp.url } },
      { config: { accounts: { registration: false } } },
    );
    const narrow = await startOidcPortal({ main: { issuer: idp.url, register: false } });
    try {
      for (const portal of [closed, narrow]) {
        expect((await new ApiJourney(portal).whole()).status).toBe(403);
        expect(await portal.portal.services.accounts.users.findByEmail(email)).toBeNull();
      }
    } finally {
      await Promise.all([closed.stop(), narrow.stop()]);
    }
  });
});

describe('whose account it is (S85)', () => {
  it('issuer and subject decide: a new address at the provider leads to the same account', async () => {
    const first = await whose((await through()).json.data.access_token);
    Object.assign(idp.claims, { email: `moved-${email}` });
    expect(await whose((await through()).json.data.access_token)).toMatchObject({ id: first.id, email });
    Object.assign(idp.claims, { email: undefined, email_verified: undefined });
    expect((await whose((await through()).json.data.access_token)).id).toBe(first.id);
  });

  it('the same subject at another provider is somebody else', async () => {
    const first = await whose((await through()).json.data.access_token);
    Object.assign(other.claims, { email: `else-${email}` });
    expect((await whose((await through('other')).json.data.access_token)).id).not.toBe(first.id);
  });

  it('a confirmed account with an address that the provider vouches for is linked, once', async () => {
    const user = await verifiedUser();
    expect((await whose((await through()).json.data.access_token)).id).toBe(user.id);
    const rows = await test.portal.database.select<object>(
      'SELECT id FROM portal_oidc_identities WHERE account_id = ? AND context = ?',
      [user.id, 'consumer'],
    );
    expect(rows).toHaveLength(1);
    // Another identity with the same address, for example of a recycled mailbox, does not get in.
    Object.assign(idp.claims, { sub: 'somebody else' });
    expect((await through()).status).toBe(409);
  });

  it.each([
    ['not verified', { email_verified: false }],
    ['the text true', { email_verified: 'true' }],
    ['the number one', { email_verified: 1 }],
    ['nothing said', { email_verified: undefined }],
    ['no address', { email: undefined }],
    ['a list of addresses', { email: ['a@example.com'] }],
    ['an empty address', { email: ' ' }],
  ])('%s: 409, and nothing is linked or made', async (_what, claims) => {
    const user = await verifiedUser();
    Object.assign(idp.claims, claims);
    const answer = await through();
    expect([answer.status, answer.json.message, Object.keys(answer.json.errors)]).toEqual([
      409,
      'Conflict.',
      ['email'],
    ]);
    const rows = await test.portal.database.select<object>(
      'SELECT id FROM portal_oidc_identities WHERE account_id = ? AND context = ?',
      [user.id, 'consumer'],
    );
    expect(rows).toEqual([]);
  });

  it('an account that somebody made before with an address they never confirmed is not handed over', async () => {
    const hijacked = await createUser(test, { email });
    const answer = await through();
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([409, ['email']]);
    // Its owner chooses a password by mail, which proves the address; then the identity opens it.
    await test.client.post('/api/v1/auth/forgot-password', { email });
    const token = tokenOf((await test.box.take(test, email))[0]);
    const body = { token, password: `${PASSWORD} anew`, password_confirmation: `${PASSWORD} anew` };
    expect((await test.client.post('/api/v1/auth/reset-password', body)).status).toBe(200);
    expect((await whose((await through()).json.data.access_token)).id).toBe(hijacked.id);
  });

  it('a provider is trusted with the domains that it was given', async () => {
    const user = await verifiedUser(`boss${count}@bank.example`);
    Object.assign(idp.claims, isUser(user.email));
    const narrow = await startOidcPortal({ main: { issuer: idp.url, domains: ['example.com'] } });
    try {
      expect((await new ApiJourney(narrow).whole()).status).toBe(409);
      Object.assign(idp.claims, { email: 'x@notexample.com' });
      expect((await new ApiJourney(narrow).whole()).status).toBe(409);
      Object.assign(idp.claims, { email: 'x@EXAMPLE.com' });
      expect((await new ApiJourney(narrow).whole()).status).toBe(200);
    } finally {
      await narrow.stop();
    }
  });

  it('accounts that are shut out stay out, and identities go with their account', async () => {
    const { id } = await whose((await through()).json.data.access_token);
    await users().setStatus(id, 'inactive');
    const refused = await through();
    expect([refused.status, refused.json.message]).toEqual([401, 'Invalid credentials.']);
    await users().delete(id);
    expect((await whose((await through()).json.data.access_token)).id).not.toBe(id);
  });
});

describe('linking by a signed-in developer', () => {
  it('needs a fresh sign-in, and the same account at the end', async () => {
    const [mine, theirs] = [await verifiedUser('mine@example.com'), await verifiedUser('theirs@example.com')];
    const token = await signIn(test, mine);
    const way = new ApiJourney(test, { provider: 'main', token });
    const back = await way.visit(await way.begin());
    const stranger = new ApiJourney(test, { provider: 'main', token: await signIn(test, theirs) });
    expect((await stranger.finish(back, {}, way.cookie)).status).toBe(401);
    test.clock.advance(301);
    const late = await test.client.get('/api/v1/auth/oidc/redirect', { token });
    expect([late.status, late.json.message]).toEqual([403, 'Re-authentication required.']);
  });

  it('takes no identity of another account', async () => {
    await through();
    const token = await signIn(test, await verifiedUser('another@example.com'));
    const answer = await through('main', token);
    expect([answer.status, answer.json.errors.email]).toEqual([409, ['This identity belongs to another account.']]);
  });

  it('needs an address that was proved, and is told to its owner', async () => {
    const user = await createUser(test);
    const refused = await test.client.get('/api/v1/auth/oidc/redirect', { token: await signIn(test, user) });
    expect([refused.status, refused.json.errors.email]).toEqual([
      409,
      ['Confirm the e-mail address of the account first; then an identity can be linked.'],
    ]);
    const owner = await verifiedUser('owner@example.com');
    const token = await signIn(test, owner);
    // Nobody has confirmed the address any more when the way has led back.
    const way = new ApiJourney(test, { provider: 'main', token });
    const back = await way.visit(await way.begin());
    const setProved = (at: Date | null) =>
      test.portal.database.execute('UPDATE portal_users SET email_verified_at = ? WHERE id = ?', [at, owner.id]);
    await setProved(null);
    expect((await way.finish(back)).status).toBe(409);
    await setProved(test.clock.now());
    expect((await through('main', token)).status).toBe(200);
    const [mail, ...others] = await test.box.take(test, owner.email);
    expect([mail?.subject, others]).toEqual(['main opens your account from now on', []]);
    expect(mail?.text).toContain('/portal/settings/sign-in');
  });
});

describe('admins', () => {
  let sso: OidcPortal;
  const GROUPS = {
    roles: { editors: 'catalog_manager', helpers: 'support', roots: 'super_admin', ghosts: 'no_such_role' },
  };
  beforeAll(async () => {
    sso = await startOidcPortal({
      main: { issuer: idp.url, admins: { requiredGroups: ['staff'], domains: ['example.com'], ...GROUPS } },
      other: { issuer: other.url },
    });
    await sso.portal.services.rbac.seed();
  });
  afterAll(() => sso.stop());
  const staff = (groups: unknown = ['staff']) => Object.assign(idp.claims, { groups });
  const enter = (portal = sso) => new ApiJourney(portal, { context: 'admin', provider: 'main' }).whole();
  const rolesOf = async (id: number, portal = sso) =>
    ((await portal.portal.services.rbac.rolesOf([id])).get(id) ?? []).map(({ name }) => name);

  it('sign in to accounts that were made before, in the admin context', async () => {
    const admin = await createAdmin(sso, { email, roles: ['auditor'] });
    staff();
    const answer = await enter();
    expect([answer.status, answer.json.message]).toEqual([200, 'Logged in.']);
    const me = await sso.client.get('/api/v1/admin/me', { token: answer.json.data.access_token });
    expect(me.json.data).toMatchObject({ id: admin.id, email });
    expect((await sso.client.get('/api/v1/me', { token: answer.json.data.access_token })).status).toBe(401);
  });

  it.each([
    ['nobody made an account', false, { groups: ['staff'] }, 403],
    ['the group is missing', true, { groups: ['others'] }, 403],
    ['there are no groups', true, { groups: undefined }, 403],
    ['the groups are a text that holds the name', true, { groups: 'staff' }, 403],
    ['the domain is another', true, { groups: ['staff'], email: 'boss@other.example' }, 403],
    ['the address is not verified', true, { groups: ['staff'], email_verified: false }, 403],
  ])('%s: refused', async (_what, exists, claims, status) => {
    if (exists) await createAdmin(sso, { email: 'email' in claims ? claims.email : email });
    Object.assign(idp.claims, claims);
    expect((await enter()).status).toBe(status);
    expect(await sso.portal.services.accounts.users.findByEmail(email)).toBeNull();
  });

  it('the restrictions are asked every time, also of who was linked before', async () => {
    await createAdmin(sso, { email });
    staff();
    expect((await enter()).status).toBe(200);
    staff(['former-staff']);
    expect((await enter()).status).toBe(403);
  });

  it('a provider that is not for admins offers them nothing, and a developer’s identity is no admin’s', async () => {
    const refused = await sso.client.get('/api/v1/admin/auth/oidc/redirect?provider=other');
    expect(refused.status).toBe(404);
    expect((await test.client.get('/api/v1/admin/auth/oidc/redirect')).status).toBe(404);
    expect((await new ApiJourney(sso, { provider: 'main' }).whole()).status).toBe(200);
    staff();
    expect((await enter()).status).toBe(403);
  });

  it('roles follow the groups of the allow-list; others stay; a bypass role is never given or taken (S86)', async () => {
    const admin = await createAdmin(sso, { email, roles: ['auditor', 'support'] });
    staff(['staff', 'editors', 'roots', 'ghosts', 'super_admin', 'constructor', '__proto__']);
    expect((await enter()).status).toBe(200);
    expect(await rolesOf(admin.id)).toEqual(['auditor', 'catalog_manager']);
    staff(['staff', 'helpers']);
    expect((await enter()).status).toBe(200);
    expect(await rolesOf(admin.id)).toEqual(['auditor', 'support']);
    const chief = await createAdmin(sso, { email: `chief${email}`, roles: ['super_admin'] });
    Object.assign(idp.claims, isUser(chief.email));
    staff(['staff']);
    expect((await enter()).status).toBe(200);
    expect(await rolesOf(chief.id)).toEqual(['super_admin']);
    const log = await sso.portal.database.select<{ action: string; type: string }>(
      "SELECT action, actor_type AS type FROM portal_activities WHERE action = 'admin.roles_changed'",
    );
    expect(log.map(({ type }) => type)).toContain('system');
  });

  it('a role that groups get by its name keeps it, and no other role gets it from who may not do everything (S59)', async () => {
    const named = await startOidcPortal({
      main: { issuer: idp.url, admins: { roles: { staff: 'crew', ops: 'ops' } } },
    });
    try {
      const { rbac } = named.portal.services;
      await rbac.seed();
      const root = await signIn(named, await createAdmin(named, { roles: ['super_admin'] }));
      const send = (token: string) => (method: string, path: string, body?: object) =>
        named.client.send(method, `/api/v1/admin/roles${path}`, { token, body });
      const crew = (await send(root)('POST', '', { name: 'crew', permissions: ['portal.admin.access'] })).json.data.id;
      const rights = ['portal.admin.access', 'portal.rbac.manage'];
      const own = (await send(root)('POST', '', { name: 'own', permissions: rights })).json.data.id;
      const attacker = await signIn(named, await createAdmin(named, { roles: ['own'] }));
      for (const token of [root, attacker]) {
        for (const answer of [
          await send(token)('PUT', `/${crew}`, { name: 'moved' }),
          await send(token)('DELETE', `/${crew}`),
        ]) {
          expect([answer.status, answer.json.errors]).toEqual([
            409,
            {
              name: [
                'oidc.providers.main.admins.roles gives this role by its name. Take it out of the configuration first.',
              ],
            },
          ]);
        }
      }
      expect((await send(attacker)('PUT', `/${own}`, { name: 'ops' })).status).toBe(403);
      expect((await send(attacker)('POST', '', { name: 'ops', permissions: rights })).status).toBe(403);
      expect((await send(attacker)('PUT', `/${crew}`, { label: 'The crew' })).status).toBe(200);
      expect((await send(root)('POST', '', { name: 'ops', permissions: [] })).status).toBe(201);
      const admin = await createAdmin(named, { email });
      staff(['staff']);
      expect((await enter(named)).status).toBe(200);
      expect(await rolesOf(admin.id, named)).toEqual(['crew']);
    } finally {
      await named.stop();
    }
  });

  it('where the configuration says so a bypass role follows too, but the last one is never lost', async () => {
    const bold = await startOidcPortal({ main: { issuer: idp.url, admins: { ...GROUPS, allowBypassRoles: true } } });
    try {
      await bold.portal.services.rbac.seed();
      const admin = await createAdmin(bold, { email });
      staff(['roots']);
      expect((await enter(bold)).status).toBe(200);
      expect(await rolesOf(admin.id, bold)).toEqual(['super_admin']);
      staff([]);
      expect((await enter(bold)).status).toBe(200);
      expect(await rolesOf(admin.id, bold)).toEqual(['super_admin']);
    } finally {
      await bold.stop();
    }
  });
});

describe('together with second factors (S79, S86)', () => {
  it('an identity is one factor: the other is asked for, and enrolled where it is required', async () => {
    const both = await startOidcPortal(
      { main: { issuer: idp.url, admins: {} } },
      { config: { mfa: { developers: 'required' } } as object, extensions: { modules: [oidc, mfa] } },
    );
    try {
      const answer = await new ApiJourney(both).whole();
      expect([answer.status, answer.json.message]).toEqual([202, 'MFA challenge required.']);
      expect(answer.json.data.enrolment_required).toBe(true);
      const { challenge_token: token } = answer.json.data;
      await both.client.post('/api/v1/auth/mfa/email', { challenge_token: token });
      const subjects = (await both.box.take(both, email)).map(({ subject }) => /\b\d{6}\b/.exec(subject)?.[0]);
      const code = subjects.find(Boolean);
      const done = await both.client.post('/api/v1/auth/mfa/email/confirm', { challenge_token: token, code });
      expect(done.status).toBe(200);
      both.clock.advance(60);
      const again = await new ApiJourney(both).whole();
      expect([again.status, again.json.data.enrolment_required]).toEqual([202, false]);
      await createAdmin(both, { email });
      expect((await new ApiJourney(both, { context: 'admin' }).whole()).status).toBe(200);
    } finally {
      await both.stop();
    }
  });
});
