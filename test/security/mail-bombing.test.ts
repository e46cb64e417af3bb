import { join } from 'node:path';
import { MailTemplates, type MailMessage } from '../../src/mail/index.js';
import { packageFolder } from '../../src/core/manifest.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HIGH = { ip: { requests: { max: 10_000 } }, forgotPassword: { perIp: 10_000 } };
const NAMES = ['https://evil.example/win', 'Win at www.evil.example', 'evil.example', 'see evil.example/win now'];

const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  const config = { limits: HIGH, accounts: { verifyEmail: true } };
  test = await startTestPortal({ config, extensions: { mailer: () => box } });
});
afterAll(() => test.stop());

const verified = async (local: string) => {
  const user = await createUser(test, { email: `${local}@example.com` });
  await test.portal.database.execute('UPDATE portal_users SET email_verified_at = ? WHERE id = ?', [
    test.clock.now(),
    user.id,
  ]);
  return user;
};
const askFor = async (email: string, token: string) => test.client.put('/api/v1/me', { email }, { token });
const register = (email: string, names: object = {}) => {
  const person = { first_name: 'Ada', last_name: 'Byron', ...names };
  const password = 'a quite different battery';
  return test.client.post('/api/v1/auth/register', { ...person, email, password, password_confirmation: password });
};

/** Everything that left since the last time. */
async function left(): Promise<MailMessage[]> {
  await test.portal.background.flush();
  await test.portal.jobs.run('mail');
  return box.mails.splice(0);
}

describe('mails to somebody who never asked for them', () => {
  it('fifteen accounts that want one address as theirs have it mailed three times an hour, in any spelling', async () => {
    const spellings = ['stranger@example.com', 'stranger+1@example.com', 'STRAN.ger+2@example.com'];
    const statuses = new Set<number>();
    for (let index = 0; index < 15; index += 1) {
      const token = await signIn(test, await verified(`accomplice${index}`));
      for (const email of spellings) statuses.add((await askFor(email, token)).status);
    }
    expect([...statuses]).toEqual([202]);
    expect(await left()).toHaveLength(3);
    test.clock.advance(3_600);
    const token = await signIn(test, await verified('late'));
    await askFor('stranger@example.com', token);
    const [mail] = await left();
    expect((await test.client.post('/api/v1/auth/verify-email', { token: tokenOf(mail) })).status).toBe(200);
    await left();
  });

  it('sign-ups, links that are asked for again, resets and changes of addresses count together', async () => {
    const email = 'target@example.com';
    const token = await signIn(test, await verified('another'));
    for (let round = 0; round < 3; round += 1) {
      expect((await register(email)).status).toBe(202);
      await test.client.post('/api/v1/auth/verify-email/resend', { email });
      await test.client.post('/api/v1/auth/forgot-password', { email });
      await askFor(email, token);
    }
    expect(await left()).toHaveLength(3);
  });

  it('an address that nobody has proved gets ten mails an hour at most, whatever they are about', async () => {
    const open = await startTestPortal({ config: { limits: HIGH }, extensions: { mailer: () => box } });
    const user = await createUser(open);
    const queue = (isUnproved: boolean) =>
      open.portal.mail.queue({
        template: 'password-changed',
        to: user.email,
        isUnproved,
        locale: 'en',
        values: { url: 'x' },
      });
    for (let round = 0; round < 30; round += 1) await queue(true);
    await open.portal.jobs.run('mail');
    expect(box.mails.splice(0)).toHaveLength(10);
    // A second run does not count them again, and an address that is proved is not held back.
    for (let round = 0; round < 12; round += 1) await queue(false);
    await open.portal.jobs.run('mail');
    expect(box.mails.splice(0)).toHaveLength(12);
    await open.stop();
  });

  it('what developers cause at an address of theirs that nobody has proved is counted so', async () => {
    const open = await startTestPortal({ config: { limits: HIGH }, extensions: { mailer: () => box } });
    const user = await createUser(open);
    let current = PASSWORD;
    for (let round = 0; round < 13; round += 1) {
      if (round === 10) open.clock.advance(600);
      const next = `a quite different battery ${round}`;
      await open.portal.services.accounts.users.changePassword(user.id, next);
      current = next;
    }
    expect(current).toContain('12');
    await open.portal.jobs.run('mail');
    expect(box.mails.splice(0)).toHaveLength(10);
    await open.stop();
  });

  it.each(NAMES)('a name that leads elsewhere, %s, is not said to an address that nobody has proved', async (name) => {
    await register(`named${NAMES.indexOf(name)}@example.com`, { first_name: name });
    const [mail] = await left();
    expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).not.toContain('evil');
    expect(mail?.text).toMatch(/^Hello,/);
  });

  it('neither is any other text with a link or a line break, though the portal’s own link is', async () => {
    const templates = new MailTemplates({
      folders: [join(packageFolder(), 'templates')],
      defaultLocale: 'en',
      portalName: 'Portal',
      portalUrl: () => 'https://portal.example',
      keep: true,
    });
    const values = { app: 'My app\nhttps://evil.example', reason: null, url: 'https://portal.example/apps/a' };
    const draft = {
      template: 'app-approved',
      to: 'a@example.com',
      locale: 'en',
      name: 'Ada\r\nhttps://evil.example',
      values,
    };
    const proved = await templates.write(draft);
    const unproved = await templates.write({ ...draft, isUnproved: true });
    expect([proved.text.includes('evil'), unproved.text.includes('evil'), unproved.html.includes('evil')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(unproved.text).toContain('https://portal.example/apps/a');
    const unsubscribe = 'https://portal.example/unsubscribe/x';
    const line = { kind: 'fix', title: 'https://evil.example', date: null, apps: 'www.evil.example', url: values.url };
    const digest = await templates.write({
      ...{ ...draft, template: 'changes-digest', isUnproved: true, values: { ...values, count: 1, unsubscribe } },
      sections: [{ title: 'https://evil.example', url: values.url, lines: [line] }],
    });
    expect(`${digest.text}${digest.html}`).not.toContain('evil');
    expect([digest.text.includes(values.url), digest.text.includes(unsubscribe)]).toEqual([true, true]);
  });
});
