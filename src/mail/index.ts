export type { MailConfig } from './config.js';
export { MailRefusedError, type Mailer, type MailMessage } from './contracts.js';
export { createMailer } from './create-mailer.js';
export { MailTemplates, type MailDraft, type MailTemplateSettings } from './mail-templates.js';
export { MailOutbox, type MailQueue } from './outbox.js';
export { OutboxDelivery } from './outbox-delivery.js';
