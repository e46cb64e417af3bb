import { createUser, PASSWORD } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box } });
});
afterAll(() => test.stop());

const count = async (table: string) => {
  const [row] = await test.portal.database.select<{ rows: number }>(`SELECT COUNT(*) AS \`rows\` FROM ${table}`);
  return Number(row?.rows);
};
const counts = () => Promise.all(['portal_web_sessions', 'portal_account_links', 'portal_mails'].map(count));

describe('housekeeping', () => {
  it('removes web sessions and links that have ended, and mails after a month, and nothing before', async () => {
    const { email } = await createUser(test);
    await new PageClient(test.client).submit('/portal/login', { email, password: PASSWORD });
    await test.client.post('/api/v1/auth/forgot-password', { email });
    await box.take(test, email);
    await test.portal.jobs.run('housekeeping');
    expect(await counts()).toEqual([1, 1, 1]);
    test.clock.advance(HOUR);
    await test.portal.jobs.run('housekeeping');
    expect(await counts()).toEqual([0, 0, 1]);
    test.clock.advance(30 * DAY);
    await test.portal.jobs.run('housekeeping');
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('leaves a mail that still waits, however old it is', async () => {
    const mail = {
      template: 'password-changed',
      to: 'a@example.com',
      locale: 'en',
      values: { url: 'https://a.example' },
    };
    await test.portal.mail.queue(mail);
    test.clock.advance(90 * DAY);
    await test.portal.jobs.run('housekeeping');
    expect(await counts()).toEqual([0, 0, 1]);
  });

  it('goes on until nothing is left, a thousand at a time', async () => {
    const { database } = test.portal;
    const now = test.clock.now();
    await database.transaction(async (transaction) => {
      for (let number = 0; number < 2_100; number += 1) {
        const sql = 'INSERT INTO portal_web_sessions (id, data, expires_at, created_at) VALUES (?, ?, ?, ?)';
        await database.execute(sql, [`session-${number}`, '{}', now, now], { transaction });
      }
    });
    await test.portal.jobs.run('housekeeping');
    expect(await count('portal_web_sessions')).toBe(0);
  });
});
