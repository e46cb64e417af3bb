import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { Admin } from '../../support/admin.js';
import { PageClient } from '../../support/page-client.js';
import { signInPair } from '../../support/sign-in.js';
import { startTestPortal } from '../../support/test-portal.js';
import { isIn, Person, startMfaPortal, type MfaPortal } from './support.js';

let test: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal();
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());

const developer = async () => new Person(test, await createUser(test));
const REAUTHENTICATE = 'Re-authentication required.';

describe('changing factors (S78)', () => {
  it('a stolen bearer alone, five minutes after its login, changes nothing', async () => {
    const person = await (await developer()).withTotp();
    test.clock.advance(301);
    const entryPoints = [
      ['POST', '/me/mfa/totp'],
      ['POST', '/me/mfa/email'],
      ['POST', '/me/mfa/totp/confirm', { code: '123456' }],
      ['POST', '/me/mfa/email/confirm', { code: '123456' }],
      ['DELETE', '/me/mfa/totp'],
      ['POST', '/me/mfa/recovery-codes'],
    ] as const;
    for (const [method, path, body] of entryPoints) {
      const answer = await person.call(method, path, body);
      expect([path, answer.status, answer.json.message]).toEqual([path, 403, REAUTHENTICATE]);
    }
    expect((await person.call('GET', '/me/mfa')).status).toBe(200);
    // The password alone does not open them either: the account has a factor.
    const half = await person.call('POST', '/me/reauthenticate', { password: PASSWORD });
    expect([half.status, Object.keys(half.json.errors)]).toEqual([422, ['code']]);
    const whole = await person.call('POST', '/me/reauthenticate', { password: PASSWORD, code: person.code() });
    expect(whole.status).toBe(200);
    expect((await person.call('DELETE', '/me/mfa/totp')).status).toBe(200);
  });

  it('the old authenticator stays good until the new one is confirmed, then it is not', async () => {
    const person = await (await developer()).withTotp();
    const old = person.secret;
    const { secret } = (await person.call('POST', '/me/mfa/totp')).json.data;
    expect((await person.verify(await person.challenge(), person.code())).status).toBe(200);
    person.secret = secret;
    expect((await person.verify(await person.challenge(), person.code(1))).status).toBe(422);
    const confirmed = await person.call('POST', '/me/mfa/totp/confirm', { code: person.code() });
    expect(confirmed.json.data).toEqual({ recovery_codes: null });
    test.clock.advance(60);
    expect((await person.verify(await person.challenge(), person.code())).status).toBe(200);
    person.secret = old;
    expect((await person.verify(await person.challenge(), person.code(1))).status).toBe(422);
  });

  it('authenticators outlive a new key of encryption, once they are encrypted with it (S71)', async () => {
    const person = await (await developer()).withTotp();
    await person.call('POST', '/me/mfa/totp');
    const [old, next] = [test.portal.config.app.key, `base64:${randomBytes(32).toString('base64')}`];
    const after = (previousKeys: string[]) =>
      startMfaPortal(
        {},
        { databaseUrl: test.databaseUrl, clock: test.clock, config: { app: { key: next, previousKeys } } },
      );
    const rotated = await after([old]);
    const reports = (await rotated.portal.reEncrypt()).filter(({ table }) => table === 'portal_mfa_factors');
    expect(reports.map(({ column, unreadable }) => [column, unreadable])).toEqual([
      ['secret', 0],
      ['pending_secret', 0],
    ]);
    expect(reports.every(({ resealed }) => resealed > 0)).toBe(true);
    const retired = await after([]);
    const there = Object.assign(new Person(retired, person.account), { secret: person.secret });
    expect((await there.verify(await there.challenge(), there.code())).status).toBe(200);
    // For the tests that follow.
    const back = await startMfaPortal(
      {},
      { databaseUrl: test.databaseUrl, clock: test.clock, config: { app: { key: old, previousKeys: [next] } } },
    );
    await back.portal.reEncrypt();
    for (const portal of [back, retired, rotated]) await portal.stop();
  });

  it('a secret that was not confirmed within ten minutes is good for nothing, and neither is one nobody asked for', async () => {
    const person = await developer();
    await person.signIn();
    expect((await person.call('POST', '/me/mfa/totp/confirm', { code: '123456' })).status).toBe(422);
    person.secret = (await person.call('POST', '/me/mfa/totp')).json.data.secret;
    expect((await person.login()).status).toBe(200);
    test.clock.advance(601);
    await person.call('POST', '/me/reauthenticate', { password: PASSWORD });
    expect((await person.call('POST', '/me/mfa/totp/confirm', { code: person.code() })).status).toBe(422);
  });

  it('every change ends all other sign-ins, keeps this one, and is told by mail', async () => {
    const person = await developer();
    const changes = [
      ['An authenticator app was set up', () => person.withTotp()],
      ['New recovery codes', () => person.call('POST', '/me/mfa/recovery-codes')],
      ['was removed', () => person.call('DELETE', '/me/mfa/totp')],
    ] as const;
    let isOn = false;
    for (const [sentence, change] of changes) {
      const other = new Person(test, person.account);
      if (isOn) {
        other.secret = person.secret;
        await other.passBoth();
        test.clock.advance(30);
      } else await other.signIn();
      const browser = new PageClient(test.client);
      await browser.submit('/portal/login', { email: person.account.email, password: PASSWORD });
      await test.box.take(test, person.account.email);
      await change();
      isOn = true;
      expect([sentence, await isIn(person), await isIn(other)]).toEqual([sentence, true, false]);
      const refreshed = await other.call('POST', '/auth/refresh', { refresh_token: other.refreshToken }, null);
      expect(refreshed.status).toBe(401);
      expect((await browser.get('/portal/profile', { follow: false })).status).toBe(303);
      const [mail] = await test.box.take(test, person.account.email);
      expect(mail?.text).toContain(sentence);
    }
    expect((await person.login()).status).toBe(200);
  });

  it('tells everything in the shape that it declares, and writes it into the log without secrets', async () => {
    const person = await (await developer()).withTotp();
    const shape = (path: string, status: number) =>
      test.portal.routes.find((route) => route.context === 'consumer' && route.path === path)?.reply[status];
    const setup = await person.call('POST', '/me/mfa/totp');
    Joi.assert(setup.json.data, shape('/me/mfa/totp', 200) ?? Joi.forbidden());
    expect(setup.json.data.otpauth_uri).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    expect(setup.json.data.qr_svg).toMatch(/^<svg [^]*<\/svg>\s*$/);
    expect(setup.json.data.qr_svg).not.toMatch(/style=|<style|<script/);
    Joi.assert((await person.call('GET', '/me/mfa')).json.data, shape('/me/mfa', 200) ?? Joi.forbidden());
    const rows = await test.portal.database.select<{ action: string }>('SELECT * FROM portal_activities');
    expect(rows.map(({ action }) => action)).toContain('mfa_factor.added');
    const log = JSON.stringify(rows);
    for (const secret of [person.secret, setup.json.data.secret, ...person.recoveryCodes]) {
      expect(log).not.toContain(secret);
    }
  });

  it('goes with the account', async () => {
    const person = await (await developer()).withTotp();
    await test.portal.services.accounts.users.delete(person.account.id);
    const left = await test.portal.database.select<object>(
      "SELECT id FROM portal_mfa_factors WHERE context = 'consumer' AND account_id = ?",
      [person.account.id],
    );
    expect(left).toEqual([]);
  });

  it('answers 404 for a factor that is not there', async () => {
    const person = await developer();
    await person.signIn();
    expect((await person.call('DELETE', '/me/mfa/email')).status).toBe(404);
    expect((await person.call('DELETE', '/me/mfa/sms')).status).toBe(404);
    expect((await person.call('POST', '/me/mfa/recovery-codes')).status).toBe(409);
  });
});

describe('step-up (S80)', () => {
  it('an admin with a factor proves it before roles change, admins are made and factors are reset', async () => {
    const admin = new Person(test, await createAdmin(test, { roles: ['super_admin'] }));
    await admin.withTotp();
    const [other, user] = [await createAdmin(test), await createUser(test)];
    const entryPoints = [
      ['PUT', `/admins/${other.id}/roles`, { roles: ['auditor'] }],
      ['POST', '/admins', { name: 'New', email: 'new-admin@example.com', password: 'a long enough pass phrase' }],
      ['POST', `/users/${user.id}/mfa/reset`, {}],
      ['POST', `/admins/${other.id}/mfa/reset`, {}],
    ] as const;
    test.clock.advance(16 * 60);
    const refreshed = await admin.call('POST', '/auth/refresh', { refresh_token: admin.refreshToken }, null);
    admin.access = refreshed.json.data.access_token;
    for (const [method, path, body] of entryPoints) {
      const answer = await admin.call(method, path, body);
      expect([path, answer.status, answer.json.message]).toEqual([path, 403, REAUTHENTICATE]);
    }
    const alone = await admin.call('POST', '/me/reauthenticate', { password: PASSWORD });
    expect(alone.status).toBe(422);
    await admin.call('POST', '/me/reauthenticate', { password: PASSWORD, code: admin.code() });
    for (const [method, path, body] of entryPoints) {
      expect([path, (await admin.call(method, path, body)).status < 300]).toEqual([path, true]);
    }
  });

  it('a code that opened a door opens no second one', async () => {
    const person = await (await developer()).withTotp();
    const body = { password: PASSWORD, code: person.code() };
    expect((await person.call('POST', '/me/reauthenticate', body)).status).toBe(200);
    expect((await person.call('POST', '/me/reauthenticate', body)).status).toBe(422);
    expect((await person.verify(await person.challenge(), body.code)).status).toBe(422);
  });

  it('mails a code to who has no authenticator', async () => {
    const person = await (await developer()).withEmail();
    await person.mailedCode();
    const asked = await person.call('POST', '/me/reauthenticate', { password: PASSWORD });
    expect(asked.status).toBe(422);
    const code = await person.mailedCode();
    expect(code).toMatch(/^\d{6}$/);
    const answer = await person.call('POST', '/me/reauthenticate', { password: PASSWORD, code });
    expect(answer.status).toBe(200);
    expect((await person.call('POST', '/me/reauthenticate', { password: PASSWORD, code })).status).toBe(422);
  });
});

describe('resetting a lost factor', () => {
  it('takes everything away, ends the sign-ins, tells the owner and leaves a trace', async () => {
    const admin = await Admin.create(test);
    const person = await (await developer()).withTotp();
    await test.box.take(test, person.account.email);
    const answer = await admin.post(`/users/${person.account.id}/mfa/reset`);
    expect([answer.status, answer.json.message]).toEqual([200, 'Factors reset.']);
    expect(await isIn(person)).toBe(false);
    expect((await person.login()).status).toBe(200);
    const [mail] = await test.box.take(test, person.account.email);
    expect(mail?.subject).toBe('Two-step sign-in was reset');
    const log = await admin.get(`/activities?filters=${encodeURIComponent('{"action":"mfa_factors.reset"}')}`);
    expect(log.json.data[0]).toMatchObject({ actor: { type: 'admin', id: admin.record.id } });
  });

  it('is for who may change the account: not for oneself, not upwards, not for a missing one', async () => {
    const clerk = await Admin.create(test, ['portal.admins.manage']);
    const chief = await createAdmin(test, { roles: ['super_admin'] });
    expect((await clerk.post(`/admins/${chief.id}/mfa/reset`)).status).toBe(403);
    expect((await clerk.post(`/admins/${clerk.record.id}/mfa/reset`)).status).toBe(403);
    expect((await clerk.post(`/users/${(await createUser(test)).id}/mfa/reset`)).status).toBe(403);
    expect((await clerk.post('/admins/999999/mfa/reset')).status).toBe(404);
    const reader = await Admin.create(test, ['portal.users.view']);
    expect((await reader.post(`/users/${(await createUser(test)).id}/mfa/reset`)).status).toBe(403);
  });
});

describe('a portal without the module', () => {
  it('has no route, no page, no menu entry, no table and no second step', async () => {
    const plain = await startTestPortal();
    try {
      const user = await createUser(plain);
      const { access_token: token } = await signInPair(plain, user);
      for (const path of ['/auth/mfa/verify', '/auth/mfa/resend', '/me/mfa/totp', '/admin/auth/mfa/verify']) {
        const answer = await plain.client.post(`/api/v1${path}`, {}, { token });
        expect([path, answer.status, answer.json.message]).toEqual([path, 404, 'Route not found.']);
      }
      expect((await plain.client.get('/api/v1/config')).json.data.features).toMatchObject({ mfa: false });
      const browser = new PageClient(plain.client);
      await browser.submit('/portal/login', { email: user.email, password: PASSWORD });
      expect((await browser.get('/portal/settings/mfa')).status).toBe(404);
      expect((await browser.get('/portal/login/mfa')).status).toBe(404);
      expect((await browser.get('/portal/dashboard')).html).not.toContain('/settings/mfa');
      await expect(plain.portal.database.select('SELECT 1 FROM portal_mfa_factors')).rejects.toThrow();
      const installed = await test.client.get('/api/v1/config');
      expect(installed.json.data.features).toMatchObject({ mfa: true });
    } finally {
      await plain.stop();
    }
  });
});
