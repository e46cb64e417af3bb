export { ExpiringKeys } from './expiring-keys.js';
export { Notices, type NoticeParts } from './notifications.js';
export { WaitingApprovals } from './waiting-approvals.js';
