export { ExpiringKeys } from './expiring-keys.js';
export { Notices, type NoticeParts } from './notices.js';
export { WaitingApprovals } from './waiting-approvals.js';
