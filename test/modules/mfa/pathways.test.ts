import {
  AuthFlow,
  defineRoute,
  Joi,
  presentTokenPair,
  tokenPairReply,
  type AuthAccount,
  type RequestInfo,
} from '../../../src/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { tokenOf } from '../../support/mailbox.js';
import { PageClient } from '../../support/page-client.js';
import { isIn, Person, startMfaPortal, type MfaPortal } from './support.js';

/** A login of the host's own, which knows nothing of second factors. */
const sideDoor = defineRoute({
  method: 'post',
  path: '/side-door',
  context: 'consumer',
  auth: 'none',
  operation: 'sideDoor',
  tag: 'Host',
  summary: 'Tokens for whoever asks',
  body: Joi.object<{ email: string }>({ email: Joi.string().required() }),
  reply: { 200: tokenPairReply },
  errors: [403],
  handle: async ({ services, body, request }) => {
    const found = await services.auth.directory.findByEmail('consumer', body.email);
    return presentTokenPair(await services.auth.flow.issueForUser(found?.account as AuthAccount, request));
  },
});

/** A flow of the host's own that forgets the further steps. */
class Forgetful extends AuthFlow {
  override obstacleTo() {
    return Promise.resolve(null);
  }
}

/** One that hands on copies of what it is given, and one that reads the account anew. */
class Copying extends AuthFlow {
  override async issueForUser(account: AuthAccount, request: RequestInfo) {
    const { account: present } = await this.parts.directory.find(account);
    await super.issueForUser(structuredClone(present), { ...request });
    return super.issueForUser({ ...account }, { ...request });
  }
}

const REQUEST = { requestId: 'test', ip: '192.0.2.1', userAgent: '' };
const states = ['none', 'totp', 'email', 'required'] as const;
type State = (typeof states)[number];

let optional: MfaPortal;
let required: MfaPortal;
let forgetful: MfaPortal;
beforeAll(async () => {
  const extensions = { routes: () => [sideDoor] };
  optional = await startMfaPortal({}, { extensions });
  required = await startMfaPortal({ developers: 'required', admins: 'required' }, { extensions });
  forgetful = await startMfaPortal({}, { extensions: { authFlow: (parts) => new Forgetful(parts) } });
});
afterAll(() => Promise.all([optional.stop(), required.stop(), forgetful.stop()]));

async function personIn(state: State): Promise<Person> {
  const test = state === 'required' ? required : optional;
  const person = new Person(test, await createUser(test, { emailVerifiedAt: test.clock.now() }));
  if (state === 'totp') await person.withTotp();
  if (state === 'email') await person.withEmail();
  return person;
}

describe.each(states)('with the factor state "%s" (S79)', (state) => {
  const isOpen = state === 'none';

  it('the login of the API', async () => {
    const { status, json } = await (await personIn(state)).login();
    expect([status, 'access_token' in json.data]).toEqual(isOpen ? [200, true] : [202, false]);
    if (!isOpen) expect(json.data.enrolment_required).toBe(state === 'required');
  });

  it('the login of the browser', async () => {
    const person = await personIn(state);
    const browser = new PageClient(person.test.client);
    const fields = { email: person.account.email, password: PASSWORD };
    const { headers } = await browser.submit('/portal/login', fields, { follow: false });
    const next = { none: '/portal/dashboard', required: '/portal/login/mfa/enrol' }[state as 'none'];
    expect(headers.get('location')).toBe(next ?? '/portal/login/mfa');
    expect((await browser.get('/portal/profile', { follow: false })).status).toBe(isOpen ? 200 : 303);
  });

  it('a new password signs nobody in, and the next login asks as ever', async () => {
    const person = await personIn(state);
    const { client, box } = person.test;
    await client.post('/api/v1/auth/forgot-password', { email: person.account.email });
    const mails = await box.take(person.test, person.account.email);
    const token = tokenOf(mails.find(({ subject }) => /password/i.test(subject)));
    const password = `${PASSWORD} anew`;
    const body = { token, password, password_confirmation: password };
    const reset = await client.post('/api/v1/auth/reset-password', body);
    expect([reset.status, reset.json.data]).toEqual([200, {}]);
    person.test.clock.advance(60);
    const login = await client.post('/api/v1/auth/login', { email: person.account.email, password });
    expect(login.status).toBe(isOpen ? 200 : 202);
  });

  it('code of the host that issues tokens by itself', async () => {
    const person = await personIn(state);
    const answer = await person.test.client.post('/api/v1/side-door', { email: person.account.email });
    expect([answer.status, answer.json.message]).toEqual(isOpen ? [200, ''] : [403, 'MFA challenge required.']);
  });

  it('refresh tokens that are older than the factor', async () => {
    const person = await personIn('none');
    const before = new Person(person.test, person.account);
    await before.signIn();
    if (state === 'totp') await person.withTotp();
    if (state === 'email') await person.withEmail();
    if (state === 'required') return;
    const refreshed = await before.call('POST', '/auth/refresh', { refresh_token: before.refreshToken }, null);
    expect(refreshed.status).toBe(isOpen ? 200 : 401);
    expect(await isIn(before)).toBe(isOpen);
  });
});

describe('where a factor is required', () => {
  it('registration leads to enrolment, and that to tokens and recovery codes', async () => {
    const names = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' };
    const input = { ...names, password: PASSWORD, password_confirmation: PASSWORD };
    const registered = await required.client.post('/api/v1/auth/register', input);
    expect([registered.status, registered.json.message]).toEqual([202, 'MFA challenge required.']);
    const { challenge_token: token, factors } = registered.json.data;
    expect(factors).toEqual(['totp', 'email']);
    const setup = await required.client.post('/api/v1/auth/mfa/totp', { challenge_token: token });
    const found = await required.portal.services.accounts.users.findByEmail(names.email);
    const person = new Person(required, found?.user ?? (await createUser(required)));
    person.secret = setup.json.data.secret;
    const confirm = (code: string) =>
      person.call('POST', '/auth/mfa/totp/confirm', { challenge_token: token, code }, null);
    expect((await confirm(person.wrongCode())).status).toBe(422);
    const confirmed = await confirm(person.code());
    expect([confirmed.status, confirmed.json.data.recovery_codes.length]).toEqual([200, 10]);
    expect(await isIn(person, confirmed.json.data.access_token)).toBe(true);
    expect((await confirm(person.code(1))).status).toBe(422);
    required.clock.advance(60);
    expect((await person.login()).json.data.enrolment_required).toBe(false);
  });

  it('an admin enrols with a code by mail; the last factor cannot be removed', async () => {
    const admin = new Person(required, await createAdmin(required));
    const { challenge_token: token } = (await admin.login()).json.data;
    expect((await admin.call('POST', '/auth/mfa/email', { challenge_token: token }, null)).status).toBe(202);
    const code = await admin.mailedCode();
    const confirmed = await admin.call('POST', '/auth/mfa/email/confirm', { challenge_token: token, code }, null);
    expect(confirmed.status).toBe(200);
    admin.access = confirmed.json.data.access_token;
    const refused = await admin.call('DELETE', '/me/mfa/email');
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['factor']]);
  });

  it('who was signed in before reaches nothing but the way to a factor', async () => {
    const before = await startMfaPortal();
    const person = new Person(before, await createUser(before));
    await person.signIn();
    const after = await startMfaPortal({ developers: 'required' }, { databaseUrl: before.databaseUrl });
    try {
      const call = (method: string, path: string) =>
        after.client.send(method, `/api/v1${path}`, {
          token: person.access,
          ...(method === 'GET' ? {} : { body: {} }),
        });
      for (const path of ['/me', '/me/apps', '/me/sessions']) {
        const answer = await call('GET', path);
        expect([path, answer.status, answer.json.message]).toEqual([path, 403, 'MFA enrolment required.']);
      }
      expect((await call('GET', '/me/mfa')).json.data).toMatchObject({ enabled: false, required: true });
      const setup = await call('POST', '/me/mfa/totp');
      person.secret = setup.json.data.secret;
      const confirm = { body: { code: person.code() }, token: person.access };
      expect((await after.client.send('POST', '/api/v1/me/mfa/totp/confirm', confirm)).status).toBe(200);
      expect((await call('GET', '/me')).status).toBe(200);
    } finally {
      await after.stop();
      await before.stop();
    }
  });

  it('a factor that an admin reset is set up anew at the next login', async () => {
    const admin = new Person(required, await createAdmin(required));
    const { challenge_token: token } = (await admin.login()).json.data;
    await admin.call('POST', '/auth/mfa/email', { challenge_token: token }, null);
    const body = { challenge_token: token, code: await admin.mailedCode() };
    await admin.call('POST', '/auth/mfa/email/confirm', body, null);
    const command = required.portal.modules.flatMap(({ commands = [] }) => commands)[0];
    const lines: string[] = [];
    const context = {
      portal: required.portal.parts,
      line: (text: string) => void lines.push(text),
      json: () => undefined,
    };
    expect(await command?.run({ ...context, args: { context: 'admin', email: admin.account.email } })).toBe(0);
    expect(lines).toHaveLength(1);
    expect((await admin.login()).json.data.enrolment_required).toBe(true);
    expect(await command?.run({ ...context, args: { context: 'admin', email: 'nobody@example.com' } })).toBe(1);
    expect(await command?.run({ ...context, args: { context: 'constructor', email: 'x' } })).toBe(2);
  });
});

describe('a flow of the host that forgets the further steps', () => {
  it('lets nobody in without the factor', async () => {
    const person = await new Person(forgetful, await createUser(forgetful)).withTotp();
    expect((await person.login()).status).toBe(403);
    const { account } = await forgetful.portal.services.auth.directory.find({
      context: 'consumer',
      id: person.account.id,
    });
    const session = { channel: 'theme', lifetime: 60, request: REQUEST } as const;
    await expect(forgetful.portal.services.auth.sessions.open(account, session)).rejects.toMatchObject({ status: 403 });
  });
});

describe('a flow of the host that copies what it is given', () => {
  it('signs in who proved the factor, for that request and no other', async () => {
    const copying = await startMfaPortal({}, { extensions: { authFlow: (parts) => new Copying(parts) } });
    try {
      const person = await new Person(copying, await createUser(copying)).withTotp();
      await person.passBoth();
      expect(await isIn(person)).toBe(true);
      const { flow, directory } = copying.portal.services.auth;
      const { account } = await directory.find({ context: 'consumer', id: person.account.id });
      await expect(flow.issueForUser(account, REQUEST)).rejects.toMatchObject({ status: 403 });
    } finally {
      await copying.stop();
    }
  });
});
