import type { Mailer, MailMessage } from '../../src/mail/index.js';
import type { TestPortal } from './test-portal.js';

/** A mailer that keeps what it is given; hand it to a portal as its `mailer`. */
export class Mailbox implements Mailer {
  readonly mails: MailMessage[] = [];

  send(message: MailMessage): Promise<void> {
    this.mails.push(message);
    return Promise.resolve();
  }

  /** What the portal has to say to an address since the last time; empties the box. */
  async take({ portal }: TestPortal, to: string): Promise<MailMessage[]> {
    await portal.background.flush();
    await portal.jobs.run('mail');
    return this.mails.splice(0).filter((mail) => mail.to === to);
  }
}

/** The token at the end of the link of a mail. */
export function tokenOf(mail: MailMessage | undefined): string {
  return /\/([\w-]{43})\s/.exec(mail?.text ?? '')?.[1] ?? '';
}
