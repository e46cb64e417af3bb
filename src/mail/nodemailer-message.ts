import type { MailMessage } from './contracts.js';

/** The message for nodemailer. Nothing in it may make nodemailer read a file or fetch a URL. */
export function nodemailerMessage({ messageId, from, to, subject, text, html, locale, unsubscribe }: MailMessage) {
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
