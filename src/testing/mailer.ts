import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MailRefusedError, type Mailer, type MailMessage } from '../mail/index.js';
import type { ContractCheck } from './contract.js';

/** A mail as received, decoded. */
export interface DeliveredMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A mailer, and access to what it delivered. */
export interface MailerUnderTest {
  readonly mailer: Mailer;
  /** All mails so far. */
  delivered(): Promise<readonly DeliveredMail[]>;
  /** An address that the receiving side rejects permanently, if there is one. */
  readonly refused?: string;
}

const message = (over: Partial<MailMessage> = {}): MailMessage => ({
  messageId: `<${randomUUID()}@portal.example>`,
  from: 'Portal <no-reply@portal.example>',
  to: `${randomUUID()}@example.com`,
  subject: 'Hello',
  text: 'Text.',
  html: '<p>Text.</p>',
  locale: 'en',
  ...over,
});

/** What a mailer promises. @param start called once per check */
export function mailerContract(start: () => Promise<MailerUnderTest>): ContractCheck[] {
  const findMails = async ({ delivered }: MailerUnderTest, to: string) =>
    (await delivered()).filter((mail) => mail.to === to);
  return [
    {
      name: 'has handed a mail over once `send` resolves',
      run: async () => {
        const test = await start();
        const mail = message();
        await test.mailer.send(mail);
        const [found, ...more] = await findMails(test, mail.to);
        assert.equal(more.length, 0);
        assert.equal(found?.subject, mail.subject);
        assert.ok(found?.text.includes(mail.text));
      },
    },
    {
      name: 'carries every script in subject and text',
      run: async () => {
        const test = await start();
        const mail = message({ subject: 'أهلاً – Grüße 🔑', text: 'مرحبا\nüber 100 €', locale: 'ar' });
        await test.mailer.send(mail);
        const [found] = await findMails(test, mail.to);
        assert.equal(found?.subject, mail.subject);
        assert.ok(found?.text.includes('مرحبا') && found.text.includes('über 100 €'));
      },
    },
    {
      name: 'sends each mail to its reader alone, also many at once',
      run: async () => {
        const test = await start();
        const mails = Array.from({ length: 5 }, () => message());
        await Promise.all(mails.map((mail) => test.mailer.send(mail)));
        for (const { to } of mails) assert.equal((await findMails(test, to)).length, 1);
      },
    },
    {
      name: 'tells a mail that nobody can deliver from a server that is away',
      run: async () => {
        const { mailer, refused } = await start();
        if (refused !== undefined) await assert.rejects(mailer.send(message({ to: refused })), MailRefusedError);
      },
    },
    {
      name: 'can be closed, whether it sent anything or not',
      run: async () => {
        const { mailer } = await start();
        await mailer.close?.();
      },
    },
  ];
}
