export { ExpiringKeys } from './expiring-keys.js';
export { Notifications, type NoticeParts } from './notifications.js';
export { WaitingApprovals } from './waiting-approvals.js';
