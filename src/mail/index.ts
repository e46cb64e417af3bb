export type { MailConfig } from './config.js';
export { MailRefusedError, type Mailer, type MailMessage } from './contracts.js';
export { createMailer } from './create-mailer.js';
export { MailTemplates, type MailDraft, type MailSection, type MailTemplateSettings } from './mail-templates.js';
export { MailOutbox, mailRecord, type MailQueue, type MailState } from './outbox.js';
export { OutboxDelivery } from './outbox-delivery.js';
