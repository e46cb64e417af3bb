export { removeExpired } from './expired-rows.js';
export { JobLeases } from './job-leases.js';
export { JobRunner, type Job } from './job-runner.js';
