import { mkdir, writeFile } from 'node:fs/promises';
import { resolve, join } from 'node:path';
import type { Transporter } from 'nodemailer';
import { type Clock, type Logger, foreignError } from '../core/index.js';
import type { MailConfig } from './config.js';
import { type Mailer, type MailMessage, MailRefusedError } from './contracts.js';

/** The message for nodemailer. Nothing in it may make nodemailer read a file or fetch a URL. */
function nodemailerMessage({ messageId, from, to, subject, text, html, locale, unsubscribe }: MailMessage) {
  return {
    ...{ messageId, from, to, subject, text, html },
    headers: {
      ...{ 'Content-Language': locale, 'Auto-Submitted': 'auto-generated' },
      ...(unsubscribe !== undefined && {
        ...{ 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 10_000;
const CONNECTIONS = 3;

/** Sends through an SMTP server over a few persistent connections. */
class SmtpMailer implements Mailer {
  private transport: Promise<Transporter> | undefined;

  /** @param url `smtp://user:password@host:587` (STARTTLS where offered) or `smtps://…` */
  constructor(private readonly url: string) {}

  async send(message: MailMessage): Promise<void> {
    const transport = await this.open();
    try {
      await transport.sendMail(nodemailerMessage(message));
    } catch (error) {
      // The server's message may quote the mail, and with it a link that signs somebody in.
      const { responseCode } = error as { readonly responseCode?: unknown };
      const reported = Object.assign(foreignError(error), Number.isSafeInteger(responseCode) && { responseCode });
      if (isFinal(error)) throw new MailRefusedError(reported.message, { cause: reported });
      throw reported;
    }
  }

  /** Connects and signs in. */
  async check(): Promise<void> {
    await (await this.open()).verify();
  }

  async close(): Promise<void> {
    (await this.transport)?.close();
    this.transport = undefined;
  }

  // The package is loaded with the first mail.
  private open(): Promise<Transporter> {
    this.transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: this.url,
        pool: true,
        maxConnections: CONNECTIONS,
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      }),
    );
    return this.transport;
  }
}

// RFC 5321, 4.2.1: 5yz is permanent. But a refused login (535, 530) is a mistake of the operator, who will correct it.
function isFinal(error: unknown): boolean {
  const { responseCode = 0, code } = error as { responseCode?: number; code?: string };
  return responseCode >= 500 && responseCode < 600 && code !== 'EAUTH' && code !== 'ETLS';
}

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
