import { defineCommand } from '../command.js';
import { withPortal } from '../open-portal.js';

export const searchRebuild = defineCommand({
  name: 'search:rebuild',
  summary: 'write the index of the search anew',
  description:
    'Indexes every record anew, one after the other, while the portal runs, and removes what belongs to none. Seldom needed: ' +
    'a running portal indexes what changes within seconds and compares everything once an hour.',
  example: ['portal search:rebuild', 'portal search:rebuild --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    const records = await withPortal({ cwd, ui }, ({ services }) => services.search.index.rebuild());
    if (json) ui.json({ records });
    else ui.success(`Indexed ${records} ${records === 1 ? 'record' : 'records'}.`);
  },
});
