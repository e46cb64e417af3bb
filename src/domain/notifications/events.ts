import { defineEvent, defineEventBase, eventField } from '../../core/index.js';

/** Whom a mail reaches is not part of the log, which is permanent. */
const MailEvent = defineEventBase(
  { mail: eventField<{ readonly id: number; readonly template: string }>() },
  { subject: ({ mail }) => ({ type: 'mail', id: mail.id, label: mail.template }) },
);

/** An admin had a mail of the outbox sent again. */
export class MailResentEvent extends defineEvent(MailEvent, 'mail.resent') {}
