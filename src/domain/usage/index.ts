export type { DecidedCall } from './usage-counter.js';
export { createUsageServices, type UsageServices } from './usage-services.js';
