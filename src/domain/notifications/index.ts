export { ExpiringKeys } from './expiring-keys.js';
export { noticeList } from './change-notice.js';
export { ChangeNotices } from './change-notices.js';
export { OwnNotices, type OwnNotice, type OwnWatch } from './own-notices.js';
export { AppChangeAnnouncedEvent, MailResentEvent } from './events.js';
export { mailList, OutboxView } from './outbox-view.js';
export { Notifications, type NoticeParts } from './notifications.js';
export { WaitingApprovals } from './waiting-approvals.js';
