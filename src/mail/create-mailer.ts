import { resolve } from 'node:path';
import type { Clock, Logger } from '../core/index.js';
import type { MailConfig } from './config.js';
import type { Mailer } from './contracts.js';
import { FileMailer } from './file-mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

/** The mailer of `mail.transport`. @param root folder of the host project */
export function createMailer(config: MailConfig, parts: { root: string; clock: Clock; logger: Logger }): Mailer {
  if (config.transport === 'smtp') return new SmtpMailer(config.url);
  return new FileMailer(resolve(parts.root, config.directory), parts.clock, parts.logger);
}
