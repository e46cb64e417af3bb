export { ExpiringKeys } from './expiring-keys.js';
export { Notices, type NoticeParts } from './notices.js';
