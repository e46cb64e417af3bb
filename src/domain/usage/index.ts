export type { Refusal, StrangersCalls } from './refusal-reader.js';
export type { DecidedCall } from './usage-counter.js';
export { createUsageServices, type UsageServices } from './usage-services.js';
export { USAGE_GROUPS, USAGE_INTERVALS, type UsageGrouping, type UsageInterval } from './usage-query.js';
export type { AskedUsage, CallCounts, UsageReport } from './usage-reader.js';
