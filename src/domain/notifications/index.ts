export { ExpiringKeys } from './expiring-keys.js';
export { MailResentEvent } from './events.js';
export { mailList, OutboxView } from './outbox-view.js';
export { Notifications, type NoticeParts } from './notifications.js';
export { WaitingApprovals } from './waiting-approvals.js';
