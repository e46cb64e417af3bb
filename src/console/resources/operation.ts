import { defineAdminResource } from '../resource.js';

export const mails = defineAdminResource({
  name: 'mails',
  group: 'system',
  title: 'template',
  operations: { list: 'listMails', show: 'getMail' },
  columns: [
    { field: 'template', as: 'code' },
    { field: 'recipient' },
    { field: 'state', as: 'badge' },
    { field: 'tries', as: 'count' },
    { field: 'created_at', as: 'date' },
  ],
  facts: [
    { field: 'recipient' },
    { field: 'state', as: 'badge' },
    { field: 'tries', as: 'count' },
    { field: 'last_error', as: 'code' },
    { field: 'due_at', as: 'date' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
    { field: 'id', as: 'code' },
  ],
  actions: [{ name: 'resend', operation: 'resendMail', offered: ({ state }) => state !== 'sent' }],
});

export const jobs = defineAdminResource({
  name: 'jobs',
  group: 'system',
  title: 'name',
  operations: { list: 'listJobs' },
  columns: [
    { field: 'name', as: 'code' },
    { field: 'last_outcome', as: 'badge' },
    { field: 'running', as: 'flag' },
    { field: 'every', as: 'count' },
    { field: 'last_started_at', as: 'date' },
    { field: 'last_ended_at', as: 'date' },
    { field: 'last_error', as: 'code' },
  ],
});

/** What readers looked for in vain. */
export const searches = defineAdminResource({
  name: 'searches',
  group: 'site',
  title: 'query',
  operations: { list: 'listSearchMisses' },
  columns: [
    { field: 'query' },
    { field: 'count', as: 'count' },
    { field: 'locale', as: 'code' },
    { field: 'day', as: 'code' },
  ],
});

/** Counted calls. Its page is drawn by `pages/usage-pages.ts`. */
export const usage = defineAdminResource({
  name: 'usage',
  group: 'system',
  title: 'name',
  operations: { list: 'getUsage', download: 'exportUsage' },
  columns: [
    { field: 'start', as: 'date' },
    { field: 'calls', as: 'count' },
  ],
  further: ['listRefusals', 'listCallsWithoutKey'],
});
