import { startSmtp, type TestSmtp } from '../support/smtp.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { createUser } from '../support/factories.js';

const FORGOT = '/api/v1/auth/forgot-password';
const MINUTE = 60;

let smtp: TestSmtp;
let test: TestPortal;
beforeAll(async () => {
  smtp = await startSmtp();
  const mail = { transport: 'smtp', url: smtp.url, from: 'Acme <no-reply@acme.example>' } as const;
  test = await startTestPortal({
    config: { mail, limits: { forgotPassword: { perAccount: 1000, perIp: 1000 }, ip: { requests: { max: 1000 } } } },
  });
});
afterAll(async () => {
  await test.stop();
  await smtp.close();
});
beforeEach(async () => {
  smtp.mood = 'accept';
  smtp.received.length = 0;
  await test.portal.database.execute('DELETE FROM portal_mails');
});

async function ask(email: string): Promise<void> {
  expect((await test.client.post(FORGOT, { email })).status).toBe(200);
  await test.portal.background.flush();
}
const deliver = () => test.portal.jobs.run('mail');
const mails = () =>
  test.portal.database.select<{ state: string; tries: number; payload: string }>(
    'SELECT state, tries, payload FROM portal_mails ORDER BY id',
  );

describe('the outbox', () => {
  it('delivers over SMTP, as text and as a page, and forgets what it said', async () => {
    const { email } = await createUser(test, { firstName: 'Ada' });
    await ask(email);
    expect((await mails())[0]).toMatchObject({ state: 'queued', tries: 0 });
    await deliver();
    expect(smtp.received).toHaveLength(1);
    const [message = ''] = smtp.received;
    expect(message).toMatch(/^From: Acme <no-reply@acme\.example>\r?$/m);
    expect(message).toMatch(new RegExp(`^To: ${email}\r?$`, 'm'));
    expect(message).toMatch(/^Subject: Reset your password\r?$/m);
    expect(message).toMatch(/^Content-Type: text\/plain/m);
    expect(message).toMatch(/^Content-Type: text\/html/m);
    expect(message).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    expect(await mails()).toEqual([{ state: 'sent', tries: 1, payload: '' }]);
  });

  it('holds nothing readable while it waits (S71)', async () => {
    const { email } = await createUser(test);
    await ask(email);
    const [{ payload = '' } = {}] = await mails();
    expect(payload).toMatch(/^v1\./);
    expect(payload).not.toContain(email);
  });

  it('tries again later when the server defers, with growing pauses, and sends one mail in the end', async () => {
    const { email } = await createUser(test);
    smtp.mood = 'defer';
    await ask(email);
    await deliver();
    await deliver();
    expect(await mails()).toMatchObject([{ state: 'queued', tries: 1 }]);
    test.clock.advance(MINUTE);
    await deliver();
    expect(await mails()).toMatchObject([{ state: 'queued', tries: 2 }]);
    smtp.mood = 'accept';
    test.clock.advance(MINUTE / 2);
    await deliver();
    expect(smtp.received).toHaveLength(0);
    test.clock.advance(MINUTE);
    await deliver();
    expect(smtp.received).toHaveLength(1);
  });

  it('gives up a mail that is refused for good, at once, and any other after ten tries', async () => {
    const { email } = await createUser(test);
    smtp.mood = 'refuse';
    await ask(email);
    await deliver();
    // What it said stays, encrypted, so that an admin can have it sent again.
    expect(await mails()).toEqual([{ state: 'failed', tries: 1, payload: expect.stringMatching(/^v1\./) }]);
    smtp.mood = 'defer';
    await ask(email);
    for (let time = 0; time < 12; time += 1) {
      await deliver();
      test.clock.advance(3 * 60 * MINUTE);
    }
    expect((await mails())[1]).toEqual({ state: 'failed', tries: 10, payload: expect.stringMatching(/^v1\./) });
  });

  it('lets nobody wait for a server that hangs (R37)', async () => {
    const { email } = await createUser(test);
    smtp.mood = 'hang';
    await ask(email);
    const hanging = deliver();
    const other = await createUser(test);
    await ask(other.email);
    expect(await mails()).toHaveLength(2);
    await smtp.close();
    await hanging;
    expect(await mails()).toMatchObject([{ state: 'queued', tries: 1 }, {}]);
    smtp = await startSmtp();
  });
});

describe('two replicas', () => {
  it('never send a mail twice (R17)', async () => {
    const server = await startSmtp();
    const mail = { transport: 'smtp', url: server.url, from: 'no-reply@acme.example' } as const;
    const one = await startTestPortal({ config: { mail } });
    const two = await startTestPortal({ config: { mail }, databaseUrl: one.databaseUrl, clock: one.clock });
    for (let count = 0; count < 30; count += 1) {
      await one.portal.database.transaction((transaction) =>
        one.portal.mail.queue(
          {
            template: 'password-changed',
            to: `d${count}@example.com`,
            locale: 'en',
            values: { url: 'https://a.example' },
          },
          transaction,
        ),
      );
    }
    await Promise.all([one, two, one, two].map(({ portal }) => portal.jobs.run('mail')));
    const receivers = server.received.map((message) => /^To: (\S+)/m.exec(message)?.[1]);
    expect(receivers).toHaveLength(30);
    expect(new Set(receivers).size).toBe(30);
    await two.stop();
    await one.stop();
    await server.close();
  });
});
