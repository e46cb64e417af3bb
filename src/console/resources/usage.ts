import { defineAdminResource } from '../resource.js';

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
