import { LoginFailedEvent, LoginSucceededEvent } from '../../../src/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { isIn, Person, startMfaPortal, type MfaPortal } from './support.js';

let test: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal();
});
afterAll(() => test.stop());

const developer = async () => new Person(test, await createUser(test));
const admin = async () => new Person(test, await createAdmin(test));
const INVALID_CODE = { code: ['Invalid verification code.'] };
const INVALID_CHALLENGE = { challenge_token: ['Invalid or expired MFA challenge.'] };

describe.each([
  ['a developer', developer],
  ['an admin', admin],
])('the login of %s with an authenticator', (_who, create) => {
  it('answers 202 with a challenge, and tokens once the code was right', async () => {
    const person = await (await create()).withTotp();
    const announced: string[] = [];
    test.portal.events.on(LoginSucceededEvent, ({ email }) => void announced.push(email ?? ''));
    const login = await person.login();
    expect([login.status, login.json.message]).toEqual([202, 'MFA challenge required.']);
    expect(login.json.data).toEqual({
      challenge_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 300,
      enrolment_required: false,
      factors: ['totp', 'recovery_code'],
    });
    expect(announced).not.toContain(person.account.email);
    const { status, json } = await person.verify(login.json.data.challenge_token, person.code());
    expect([status, json.message]).toEqual([200, 'Logged in.']);
    expect(Object.keys(json.data)).toEqual(['token_type', 'access_token', 'expires_in', 'refresh_token']);
    expect(await isIn(person, json.data.access_token)).toBe(true);
    expect(announced.filter((email) => email === person.account.email)).toHaveLength(1);
  });

  it('takes no code for a wrong password: the answer is that of every failed login', async () => {
    const person = await (await create()).withTotp();
    const answer = await person.call('POST', '/auth/login', { email: person.account.email, password: 'wrong' }, null);
    expect([answer.status, answer.json.message]).toEqual([401, 'Invalid credentials.']);
  });
});

describe('codes of an authenticator (S74)', () => {
  it('each time step opens once, and none before the last that did (R29); the answer does not say so', async () => {
    const person = await (await developer()).withTotp();
    const code = person.code();
    expect((await person.verify(await person.challenge(), code)).status).toBe(200);
    const again = await person.verify(await person.challenge(), code);
    const wrong = await person.verify(await person.challenge(), person.wrongCode());
    expect([again.status, again.json.errors]).toEqual([422, INVALID_CODE]);
    expect(again.text).toBe(wrong.text);
    expect((await person.verify(await person.challenge(), person.code(-1))).json.errors).toEqual(INVALID_CODE);
    expect((await person.verify(await person.challenge(), person.code(1))).status).toBe(200);
  });

  it('ten at once with one code and ten challenges: exactly one gets in', async () => {
    const person = await (await developer()).withTotp();
    const challenges: string[] = [];
    for (let count = 0; count < 10; count += 1) challenges.push(await person.challenge());
    const answers = await Promise.all(challenges.map((token) => person.verify(token, person.code())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('are good one step early and late, and no longer', async () => {
    const person = await (await developer()).withTotp();
    expect((await person.verify(await person.challenge(), person.code(-2))).status).toBe(422);
    expect((await person.verify(await person.challenge(), person.code(2))).status).toBe(422);
    expect((await person.verify(await person.challenge(), person.code(-1))).status).toBe(200);
    expect((await person.verify(await person.challenge(), person.code(1))).status).toBe(200);
  });

  it('the first code of all is used up by the confirmation', async () => {
    const person = await developer();
    await person.signIn();
    person.secret = (await person.call('POST', '/me/mfa/totp')).json.data.secret;
    const code = person.code();
    expect((await person.call('POST', '/me/mfa/totp/confirm', { code })).status).toBe(200);
    expect((await person.verify(await person.challenge(), code)).json.errors).toEqual(INVALID_CODE);
  });

  it('are kept as ciphertext that opens for no other account', async () => {
    const [one, other] = [await (await developer()).withTotp(), await (await developer()).withTotp()];
    const rows = await test.portal.database.select<{ id: number; secret: string }>(
      'SELECT account_id AS id, secret FROM portal_mfa_factors WHERE account_id IN (?, ?)',
      [one.account.id, other.account.id],
    );
    expect(rows.map(({ secret }) => secret).join()).not.toContain(one.secret);
    const own = rows.find(({ id }) => id === one.account.id)?.secret ?? '';
    await test.portal.database.execute('UPDATE portal_mfa_factors SET secret = ? WHERE account_id = ?', [
      own,
      other.account.id,
    ]);
    other.secret = one.secret;
    expect((await other.verify(await other.challenge(), other.code())).status).toBe(500);
  });
});

describe('limits of guesses (S75)', () => {
  it('of forty wrong codes at once for one challenge five are looked at', async () => {
    const person = await (await developer()).withTotp();
    let evaluated = 0;
    test.portal.events.on(LoginFailedEvent, ({ email }) => {
      if (email === person.account.email) evaluated += 1;
    });
    const token = await person.challenge();
    const answers = await Promise.all(Array.from({ length: 40 }, () => person.verify(token, person.wrongCode())));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    expect(evaluated).toBe(5);
    const late = await person.verify(token, person.code());
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  it('new challenges, other factors and a right code in between do not give more than ten in a quarter of an hour', async () => {
    const person = await (await developer()).withTotp();
    const guess = async (code: string, factor?: string) =>
      (await person.verify(await person.challenge(), code, factor)).status;
    for (let count = 0; count < 4; count += 1) expect(await guess(person.wrongCode())).toBe(422);
    expect(await guess(person.code())).toBe(200);
    for (let count = 0; count < 4; count += 1) expect(await guess('AAAA-BBBB-CCCC', 'recovery_code')).toBe(422);
    for (let count = 0; count < 2; count += 1) expect(await guess(person.wrongCode(), 'email')).toBe(422);
    test.clock.advance(30);
    expect(await guess(person.code())).toBe(429);
    expect(await guess(person.recoveryCodes[0] ?? '')).toBe(429);
    test.clock.advance(901);
    expect(await guess(person.code())).toBe(200);
  });
});

describe('the challenge (S76)', () => {
  it('is good for nothing else', async () => {
    const [person, other] = [await (await developer()).withTotp(), await (await admin()).withTotp()];
    const token = await person.challenge();
    expect(await isIn(person, token)).toBe(false);
    expect((await person.call('POST', '/auth/refresh', { refresh_token: token }, null)).status).toBe(401);
    expect((await person.call('POST', '/me/mfa/totp', {}, token)).status).toBe(401);
    const elsewhere = await other.verify(token, other.code());
    expect([elsewhere.status, elsewhere.json.errors]).toEqual([422, INVALID_CHALLENGE]);
    const enrolling = { challenge_token: token };
    expect((await person.call('POST', '/auth/mfa/totp', enrolling, null)).json.errors).toEqual(INVALID_CHALLENGE);
    // None of that has burned it.
    expect((await person.verify(token, person.code())).status).toBe(200);
  });

  it('works once, for five minutes, and only with the account that it was given to', async () => {
    const [one, other] = [await (await developer()).withTotp(), await (await developer()).withTotp()];
    const token = await one.challenge();
    expect((await one.verify(token, other.code())).status).toBe(422);
    expect((await one.verify(token, one.code())).status).toBe(200);
    expect((await one.verify(token, one.code(1))).json.errors).toEqual(INVALID_CHALLENGE);
    const late = await other.challenge();
    test.clock.advance(301);
    expect((await other.verify(late, other.code())).json.errors).toEqual(INVALID_CHALLENGE);
    for (const garbage of ['', 'x', 'A'.repeat(43), 'A'.repeat(200)]) {
      expect((await one.verify(garbage, '123456')).status).toBe(422);
    }
  });

  it('dies with a change of the password and with the account', async () => {
    const person = await (await developer()).withTotp();
    const token = await person.challenge();
    await test.portal.services.accounts.users.changePassword(person.account.id, `${PASSWORD} anew`);
    expect((await person.verify(token, person.code())).json.errors).toEqual(INVALID_CHALLENGE);
    const other = await (await developer()).withTotp();
    const second = await other.challenge();
    await test.portal.services.accounts.users.setStatus(other.account.id, 'inactive');
    expect((await other.verify(second, other.code())).json.errors).toEqual(INVALID_CHALLENGE);
    const third = await (await developer()).withTotp();
    const open = await third.challenge();
    await test.portal.database.execute("UPDATE portal_users SET status = 'inactive' WHERE id = ?", [third.account.id]);
    expect((await third.verify(open, third.code())).json.errors).toEqual(INVALID_CHALLENGE);
  });

  it('met by several good codes at once, lets in once', async () => {
    const person = await (await developer()).withTotp();
    const token = await person.challenge();
    const codes = [person.code(), ...person.recoveryCodes.slice(0, 4)];
    const answers = await Promise.all(codes.map((code) => person.verify(token, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('leaves no token behind in the database', async () => {
    const person = await (await developer()).withTotp();
    const token = await person.challenge();
    const rows = await test.portal.database.select<object>('SELECT * FROM portal_mfa_challenges');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('refuses wrong types', async () => {
    const person = await developer();
    for (const body of [{}, { challenge_token: ['a'], code: '1' }, { challenge_token: 'a', code: 123456 }]) {
      expect((await person.call('POST', '/auth/mfa/verify', body, null)).status).toBe(422);
    }
  });
});

describe('codes by mail (S75)', () => {
  it('are mailed at the login, work once, and only the newest does', async () => {
    const person = await (await developer()).withEmail();
    const login = await person.login();
    expect(login.json.data.factors).toEqual(['email', 'recovery_code']);
    const token = login.json.data.challenge_token;
    const first = await person.mailedCode();
    const resend = () => person.call('POST', '/auth/mfa/resend', { challenge_token: token }, null);
    expect((await resend()).status).toBe(429);
    test.clock.advance(31);
    expect((await resend()).status).toBe(202);
    const second = await person.mailedCode();
    if (first !== second) expect((await person.verify(token, first)).status).toBe(422);
    expect((await person.verify(token, second)).status).toBe(200);
    expect((await person.verify(token, second)).json.errors).toEqual(INVALID_CHALLENGE);
  });

  it('are mailed three times for a login, and to nobody who does not take them', async () => {
    const person = await (await developer()).withEmail();
    const token = await person.challenge();
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      test.clock.advance(31);
      statuses.push((await person.call('POST', '/auth/mfa/resend', { challenge_token: token }, null)).status);
    }
    expect(statuses).toEqual([202, 202, 429, 429]);
    const other = await (await developer()).withTotp();
    const refused = await other.call('POST', '/auth/mfa/resend', { challenge_token: await other.challenge() }, null);
    expect(refused.status).toBe(409);
    expect(await other.mailedCode()).toBe('');
  });

  it('belong to one challenge: that of another login does not take them', async () => {
    const person = await (await developer()).withEmail();
    await person.challenge();
    const code = await person.mailedCode();
    test.clock.advance(31);
    const other = await person.challenge();
    const newer = await person.mailedCode();
    if (code !== newer) expect((await person.verify(other, code)).status).toBe(422);
  });

  it('are kept as keyed hashes and leave the outbox encrypted', async () => {
    const person = await (await developer()).withEmail();
    await person.challenge();
    const [rows, mails] = await Promise.all([
      test.portal.database.select<object>('SELECT * FROM portal_mfa_challenges'),
      test.portal.database.select<object>('SELECT * FROM portal_mails'),
    ]);
    const code = await person.mailedCode();
    expect(code).toMatch(/^\d{6}$/);
    expect(JSON.stringify(rows)).not.toContain(`"${code}"`);
    expect(JSON.stringify(mails)).not.toContain(code);
  });
});

describe('recovery codes (S77)', () => {
  it('are ten of fifty bits or more, kept as salted password hashes, each good once', async () => {
    const person = await (await developer()).withTotp();
    expect(person.recoveryCodes).toHaveLength(10);
    for (const code of person.recoveryCodes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    const rows = await test.portal.database.select<{ codeHash: string }>(
      'SELECT code_hash AS codeHash FROM portal_mfa_recovery_codes WHERE account_id = ? AND context = ?',
      [person.account.id, 'consumer'],
    );
    expect(rows.every(({ codeHash }) => codeHash.startsWith('$argon2id$'))).toBe(true);
    expect(new Set(rows.map(({ codeHash }) => codeHash.split('$')[4])).size).toBe(10);
    const [code = ''] = person.recoveryCodes;
    expect((await person.verify(await person.challenge(), code.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    for (const variant of [code, code.toLowerCase(), code.replaceAll('-', ''), ` ${code} `]) {
      expect((await person.verify(await person.challenge(), variant)).status).toBe(422);
    }
  });

  it('one code ten times at once: exactly one success', async () => {
    const person = await (await developer()).withTotp();
    const challenges: string[] = [];
    for (let count = 0; count < 10; count += 1) challenges.push(await person.challenge());
    const [code = ''] = person.recoveryCodes;
    const answers = await Promise.all(challenges.map((token) => person.verify(token, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('are never shown again, are counted, and void when new ones are drawn', async () => {
    const person = await (await developer()).withTotp();
    const [old = ''] = person.recoveryCodes;
    const state = await person.call('GET', '/me/mfa');
    expect(state.json.data).toMatchObject({ enabled: true, required: false, recovery_codes_left: 10 });
    expect(state.text).not.toContain(old);
    const renewed = await person.call('POST', '/me/mfa/recovery-codes');
    expect(renewed.json.data.recovery_codes).toHaveLength(10);
    expect((await person.verify(await person.challenge(), old)).status).toBe(422);
    const [fresh = ''] = renewed.json.data.recovery_codes as string[];
    expect((await person.verify(await person.challenge(), fresh)).status).toBe(200);
  });
});
