import { definePortalModule, type StepUp } from '../../../src/index.js';
import { mfa } from '../../../src/modules/mfa/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { Person, startMfaPortal, type MfaPortal } from './support.js';

const NEW_PASSWORD = 'a quite different battery';
const CHANGE = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
const AGAIN = [403, 'Re-authentication required.'];
const REQUEST = { requestId: 'test', ip: '192.0.2.1', userAgent: '' };

let test: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal();
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const developer = async () => new Person(test, await createUser(test)).withTotp();

describe('a password alone does not make the sign-in of an account with a factor a recent one (S80)', () => {
  it('not when it is changed: the factors stay as guarded as before', async () => {
    const person = await developer();
    test.clock.advance(301);
    expect((await person.call('POST', '/me/password', CHANGE)).status).toBe(200);
    const removed = await person.call('DELETE', '/me/mfa/totp');
    expect([removed.status, removed.json.message]).toEqual(AGAIN);
    const proof = { password: NEW_PASSWORD, code: person.code() };
    expect((await person.call('POST', '/me/reauthenticate', proof)).status).toBe(200);
    expect((await person.call('DELETE', '/me/mfa/totp')).status).toBe(200);
  });

  it('not for an admin: no other admin is made with it', async () => {
    const admin = await new Person(test, await createAdmin(test, { roles: ['super_admin'] })).withTotp();
    test.clock.advance(16 * 60);
    const refreshed = await admin.call('POST', '/auth/refresh', { refresh_token: admin.refreshToken }, null);
    admin.access = refreshed.json.data.access_token;
    expect((await admin.call('POST', '/me/password', CHANGE)).status).toBe(200);
    const input = { name: 'New', email: 'new-admin@example.com', password: 'a long enough pass phrase' };
    const made = await admin.call('POST', '/admins', { ...input, roles: ['super_admin'] });
    expect([made.status, made.json.message]).toEqual(AGAIN);
  });

  it('not in the browser', async () => {
    const person = await developer();
    const page = new PageClient(test.client);
    await page.submit('/portal/login', { email: person.account.email, password: PASSWORD });
    await page.submit('/portal/login/mfa', { code: person.code() });
    test.clock.advance(301);
    const changed = await page.submit('/portal/profile', CHANGE, { action: '/portal/profile/password' });
    expect(changed.html).toContain('Your password is changed.');
    const asked = await page.submit('/portal/settings/mfa', {}, { action: '/portal/settings/mfa/totp/remove' });
    expect([asked.status, asked.html]).toEqual([403, expect.stringContaining('_current_code')]);
  });

  it('not when code of a module or host says so: it is refused where the time is written', async () => {
    const person = await developer();
    const { sessions, directory } = test.portal.services.auth;
    const { account } = await directory.find({ context: 'consumer', id: person.account.id });
    const [{ sid } = { sid: '' }] = await sessions.list(account);
    const actor = await sessions.authenticate(sid, 'consumer', 'api');
    if (!actor) throw new Error('the sign-in has ended');
    await expect(sessions.renewAuthTime(actor, REQUEST)).rejects.toMatchObject({ status: 403 });
  });
});

describe('an account that several modules ask (S80)', () => {
  it('answers every one of them', async () => {
    const stepUp: StepUp = {
      question: async () => ({ words: 'mfa.step-up.totp' }),
      verify: async (_actor, answer) => answer === 'sesame',
    };
    const door = definePortalModule({ name: 'door', register: () => ({ stepUp }) });
    const both = await startMfaPortal({}, { extensions: { modules: [mfa, door] } });
    try {
      const person = await new Person(both, await createUser(both)).withTotp();
      const page = new PageClient(both.client);
      await page.submit('/portal/login', { email: person.account.email, password: PASSWORD });
      await page.submit('/portal/login/mfa', { code: person.code() });
      both.clock.advance(301);
      const remove = '/portal/settings/mfa/totp/remove';
      const send = async (codes: string[]) => {
        const _csrf = await page.csrf('/portal/settings/mfa');
        const fields = { _csrf, _current_password: PASSWORD, _current_code: codes };
        return (await page.post(remove, fields, { follow: false })).status;
      };
      expect(await send(['sesame'])).toBe(422);
      expect(await send([person.code()])).toBe(422);
      both.clock.advance(30);
      expect(await send([person.code(), 'sesame'])).toBe(303);
    } finally {
      await both.stop();
    }
  });
});
