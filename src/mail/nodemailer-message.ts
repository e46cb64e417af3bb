import type { MailMessage } from './contracts.js';

/** What nodemailer is given. Nothing of it may make it read a file or fetch an address. */
export function nodemailerMessage({ messageId, from, to, subject, text, html, locale }: MailMessage) {
  return {
    ...{ messageId, from, to, subject, text, html },
    headers: { 'Content-Language': locale, 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
