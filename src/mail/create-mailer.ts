import { resolve, join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import type { Clock, Logger } from '../core/index.js';
import type { MailConfig } from './config.js';
import type { Mailer, MailMessage } from './contracts.js';
import { SmtpMailer } from './smtp-mailer.js';
import { nodemailerMessage } from './nodemailer-message.js';

/**
 * The mailer that `mail.transport` names.
 * @param root folder of the host project
 */
export function createMailer(config: MailConfig, parts: { root: string; clock: Clock; logger: Logger }): Mailer {
  if (config.transport === 'smtp') return new SmtpMailer(config.url);
  return new FileMailer(resolve(parts.root, config.directory), parts.clock, parts.logger);
}

const LINK = /https?:\/\/[^\s<>"]+/;

/** For development: writes mails as `.eml` files, which mail clients open, and prints the link of each. */
class FileMailer implements Mailer {
  /** @param folder absolute; created if missing, accessible to its owner only */
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async send(message: MailMessage): Promise<void> {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const sent = await transport.sendMail(nodemailerMessage(message));
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = join(this.folder, this.nameOf(message));
    await writeFile(file, sent.message as Buffer, { mode: 0o600 });
    const [link] = LINK.exec(message.text) ?? [];
    this.logger.info({ to: message.to, file, link }, `mail: ${message.subject}`);
  }

  private nameOf({ messageId }: MailMessage): string {
    const time = this.clock.now().toISOString().replace(/[:.]/g, '-');
    return `${time}-${messageId.replace(/@.*/, '').replace(/[^\w-]/g, '')}.eml`;
  }
}
