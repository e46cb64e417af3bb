export { JobLeases } from './job-leases.js';
export { JobRunner, type Job } from './job-runner.js';
