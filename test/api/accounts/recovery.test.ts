import type { UserRecord } from '../../../src/domain/accounts/index.js';
import { createUser, PASSWORD } from '../../support/factories.js';
import { Mailbox, tokenOf } from '../../support/mailbox.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const AUTH = '/api/v1/auth';
const ME = '/api/v1/me';
const NEW_PASSWORD = 'a quite different battery';
const SAID = 'If the account exists, a reset link has been sent.';
const HIGH = { forgotPassword: { perIp: 10_000 }, ip: { requests: { max: 10_000 } } };

const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box }, config: { limits: HIGH } });
});
afterAll(() => test.stop());

const forgot = (email: string, portal = test) => portal.client.post(`${AUTH}/forgot-password`, { email });
const reset = (token: string, password = NEW_PASSWORD) =>
  test.client.post(`${AUTH}/reset-password`, { token, password, password_confirmation: password });
const login = (email: string, password: string) => test.client.post(`${AUTH}/login`, { email, password });
async function resetToken(email: string): Promise<string> {
  await forgot(email);
  const [mail] = await box.take(test, email);
  return tokenOf(mail);
}
const INVALID = { token: ['Invalid reset token.'] };

describe('a forgotten password', () => {
  it('is replaced with the link of a mail; every sign-in ends, and none begins', async () => {
    const user = await createUser(test);
    const token = await signIn(test, user);
    expect((await forgot(user.email)).json).toMatchObject({ status: 200, message: SAID, data: {} });
    const [mail, ...others] = await box.take(test, user.email);
    expect(others).toEqual([]);
    expect(mail?.text).toContain(`${test.portal.config.app.url}/portal/reset-password/`);
    const answer = await reset(tokenOf(mail));
    expect([answer.status, answer.json.data, answer.headers.get('set-cookie')]).toEqual([200, {}, null]);
    expect((await test.client.get(ME, { token })).status).toBe(401);
    expect((await login(user.email, PASSWORD)).status).toBe(401);
    expect((await login(user.email, NEW_PASSWORD)).status).toBe(200);
    expect((await box.take(test, user.email)).map(({ subject }) => subject)).toEqual(['Your password was changed']);
  });

  it('is answered alike whether there is an account or not (S09)', async () => {
    const { email } = await createUser(test);
    const inactive = await createUser(test, { status: 'inactive' });
    const answers = await Promise.all([email, inactive.email, 'nobody@example.com'].map((typed) => forgot(typed)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await test.portal.background.flush();
    await test.portal.jobs.run('mail');
    expect(box.mails.splice(0).map(({ to }) => to)).toEqual([email]);
  });

  it('is mailed to the stored address only, in whatever spelling it was asked for (S07)', async () => {
    const { email } = await createUser(test);
    await forgot(` ${email.toUpperCase()} `);
    expect(await box.take(test, email)).toHaveLength(1);
  });

  it('speaks the language of who asked', async () => {
    const { email } = await createUser(test);
    await test.client.post(`${AUTH}/forgot-password?locale=ar`, { email });
    const [mail] = await box.take(test, email);
    expect(mail).toMatchObject({ locale: 'ar', subject: 'أعد تعيين كلمة المرور' });
  });

  it('sends three mails an hour to an account, and says nothing of it', async () => {
    const { email } = await createUser(test);
    for (let time = 0; time < 5; time += 1) expect((await forgot(email)).status).toBe(200);
    expect(await box.take(test, email)).toHaveLength(3);
    test.clock.advance(3_600);
    await forgot(email);
    expect(await box.take(test, email)).toHaveLength(1);
  });

  it('may be asked for ten times an hour from one address', async () => {
    const strict = await startTestPortal({ extensions: { mailer: () => box } });
    for (let time = 0; time < 10; time += 1) expect((await forgot('a@example.com', strict)).status).toBe(200);
    expect((await forgot('a@example.com', strict)).status).toBe(429);
    await strict.stop();
  });

  it.each(['', 'nobody', 'x'.repeat(300), null, 1, ['a@example.com'], {}])(
    'refuses %j as an address',
    async (email) => {
      expect((await forgot(email as string)).status).toBe(422);
    },
  );
});

describe('a reset link', () => {
  it('works once: of ten at the same time exactly one (S07)', async () => {
    const { email } = await createUser(test);
    const token = await resetToken(email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // One hashes; the others are sent away while it does, and told so when they come back.
    for (const { status } of answers) if (status !== 200) expect([422, 429]).toContain(status);
    const late = await reset(token);
    expect([late.status, late.json.errors]).toEqual([422, INVALID]);
  });

  it('works for thirty minutes', async () => {
    const { email } = await createUser(test);
    const token = await resetToken(email);
    test.clock.advance(30 * 60);
    expect((await reset(token)).json.errors).toEqual(INVALID);
  });

  it('is void once there is a newer one', async () => {
    const { email } = await createUser(test);
    const older = await resetToken(email);
    const newer = await resetToken(email);
    expect((await reset(older)).status).toBe(422);
    expect((await reset(newer)).status).toBe(200);
  });

  it('is void once the password was changed by other means', async () => {
    const { id, email } = await createUser(test);
    const token = await resetToken(email);
    await test.portal.services.accounts.users.changePassword(id, 'something else entirely');
    expect((await reset(token)).json.errors).toEqual(INVALID);
  });

  it('is good for another try when the new password was refused', async () => {
    const { email } = await createUser(test);
    const token = await resetToken(email);
    const { status, json } = await reset(token, 'password1');
    expect([status, Object.keys(json.errors)]).toEqual([422, ['password']]);
    expect((await reset(token)).status).toBe(200);
  });

  it('is stored as its hash only', async () => {
    const { email } = await createUser(test);
    const token = await resetToken(email);
    const rows = await test.portal.database.select('SELECT * FROM portal_account_links');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it.each(['', 'x'.repeat(43), '../../etc/passwd', "' OR 1=1 --", 'x'.repeat(500)])(
    'refuses the token %j',
    async (token) => {
      expect((await reset(token)).status).toBe(422);
    },
  );
});

describe('accounts.verifyEmail', () => {
  let strict: TestPortal;
  beforeAll(async () => {
    strict = await startTestPortal({
      extensions: { mailer: () => box },
      config: { limits: HIGH, accounts: { verifyEmail: true } },
    });
  });
  afterAll(() => strict.stop());

  const register = (email: string) =>
    strict.client.post(`${AUTH}/register`, {
      ...{ first_name: 'Ada', last_name: 'Lovelace', email },
      ...{ password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
    });
  const verify = (token: string) => strict.client.post(`${AUTH}/verify-email`, { token });
  const enter = (email: string) => strict.client.post(`${AUTH}/login`, { email, password: NEW_PASSWORD });

  it('lets nobody in before the link of the mail was opened', async () => {
    const answer = await register('new@example.com');
    expect([answer.status, answer.json.message, answer.json.data]).toEqual([202, 'Check your e-mail.', {}]);
    expect((await enter('new@example.com')).json.message).toBe('E-mail not verified.');
    const [mail] = await box.take(strict, 'new@example.com');
    const token = tokenOf(mail);
    expect((await verify(token)).json).toMatchObject({ status: 200, message: 'E-mail verified.' });
    expect((await enter('new@example.com')).status).toBe(200);
    expect((await verify(token)).json.errors).toEqual({ token: ['Invalid or expired link.'] });
  });

  it('answers a taken address like a free one, and tells its owner (S10)', async () => {
    const owner = await createUser(strict);
    await strict.portal.database.execute('UPDATE portal_users SET email_verified_at = created_at');
    const [taken, free] = [await register(owner.email), await register('free@example.com')];
    expect(taken.text).toBe(free.text);
    expect((await box.take(strict, owner.email)).map(({ subject }) => subject)).toEqual([
      'You already have an account',
    ]);
  });

  it('leads who signs up with an address that somebody else has used to a password of their own', async () => {
    const email = 'twice@example.com';
    await register(email);
    const [first] = await box.take(strict, email);
    await register(email);
    const [mail, ...others] = await box.take(strict, email);
    expect([mail?.subject, others]).toEqual(['Choose the password of your account', []]);
    for (const token of [tokenOf(first), tokenOf(mail)]) expect((await verify(token)).status).toBe(422);
    expect((await enter(email)).json.message).toBe('E-mail not verified.');
    const body = { token: tokenOf(mail), password: PASSWORD, password_confirmation: PASSWORD };
    expect((await strict.client.post(`${AUTH}/reset-password`, body)).status).toBe(200);
    expect((await enter(email)).status).toBe(401);
    expect((await strict.client.post(`${AUTH}/login`, { email, password: PASSWORD })).status).toBe(200);
  });

  it('sends the link again, alike for every address', async () => {
    await register('again@example.com');
    await box.take(strict, 'again@example.com');
    const resend = (email: string) => strict.client.post(`${AUTH}/verify-email/resend`, { email });
    const [known, unknown] = [await resend('again@example.com'), await resend('nobody@example.com')];
    expect(known.text).toBe(unknown.text);
    const [mail] = await box.take(strict, 'again@example.com');
    expect((await verify(tokenOf(mail))).status).toBe(200);
  });

  it('takes no link of another purpose', async () => {
    const user = await createUser(strict);
    await strict.client.post(`${AUTH}/forgot-password`, { email: user.email });
    const [mail] = await box.take(strict, user.email);
    expect((await verify(tokenOf(mail))).status).toBe(422);
  });
});

describe('another e-mail address (S70)', () => {
  const change = (token: string, email: string) => test.client.put(ME, { email }, { token });
  const confirm = (token: string) => test.client.post(`${AUTH}/verify-email`, { token });
  async function asked(user: UserRecord, email: string): Promise<string> {
    const token = await signIn(test, user);
    const answer = await change(token, email);
    expect([answer.status, answer.json.data.email, answer.json.data.pending_email]).toEqual([202, user.email, email]);
    const [mail] = await box.take(test, email);
    return tokenOf(mail);
  }

  it('counts only after its owner opened the link, and the old one is told', async () => {
    const user = await createUser(test);
    const link = await asked(user, 'moved@example.com');
    expect((await login('moved@example.com', PASSWORD)).status).toBe(401);
    expect((await confirm(link)).status).toBe(200);
    expect((await login('moved@example.com', PASSWORD)).status).toBe(200);
    expect((await login(user.email, PASSWORD)).status).toBe(401);
    const [notice] = await box.take(test, user.email);
    expect(notice).toMatchObject({ subject: 'Your e-mail address was changed' });
  });

  it('asks for a fresh sign-in', async () => {
    const token = await signIn(test, await createUser(test));
    test.clock.advance(14 * 60);
    expect((await change(token, 'in-time@example.com')).status).toBe(202);
    test.clock.advance(61);
    // The access token itself ends after 15 minutes; another one of the same sign-in does not renew the proof.
    expect([401, 403]).toContain((await change(token, 'late@example.com')).status);
  });

  it('does not say whether somebody else has it', async () => {
    const other = await createUser(test);
    const user = await createUser(test);
    const link = await asked(user, other.email);
    const { status, json } = await confirm(link);
    expect([status, json.errors]).toEqual([422, { email: ['The e-mail address is already taken.'] }]);
    expect((await login(user.email, PASSWORD)).status).toBe(200);
  });

  it('may be asked for three times an hour: nobody has strangers mailed at will', async () => {
    const token = await signIn(test, await createUser(test));
    for (const name of ['a', 'b', 'c']) expect((await change(token, `${name}@stranger.example`)).status).toBe(202);
    const { status, headers } = await change(token, 'd@stranger.example');
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
    await box.take(test, 'd@stranger.example');
  });

  it('is the one that was asked for last', async () => {
    const user = await createUser(test);
    const first = await asked(user, 'first@example.com');
    const second = await asked(user, 'second@example.com');
    expect((await confirm(first)).status).toBe(422);
    expect((await confirm(second)).status).toBe(200);
  });

  it('voids reset links for the old address', async () => {
    const user = await createUser(test);
    const token = await resetToken(user.email);
    await confirm(await asked(user, 'void@example.com'));
    expect((await reset(token)).json.errors).toEqual(INVALID);
  });
});
