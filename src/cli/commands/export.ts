import { resolve } from 'node:path';
import { codeOptions, withPort } from '../code-folder.js';
import { defineCommand } from '../command.js';

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'write the catalog and what belongs to it as files',
  description:
    'Writes products with their documents and pictures, categories, audiences without their members, plans, menus, roles and ' +
    'settings as YAML, by name and sorted, with the same bytes whenever the portal says the same. Values of secret settings, ' +
    'keys, developers and addresses of webhooks are never part of it. Files that are there keep their comments.',
  example: [
    'portal export',
    'portal export --dir catalog --scope products',
    'portal export --server https://portal.example.com --json',
  ],
  options: codeOptions,
  reports: true,
  async run({ cwd, ui, json, options: { dir, scope, server } }) {
    const { exportTo, kinds } = await import('../../as-code/index.js');
    const { counts, written } = await withPort({ cwd, ui, server }, (port) =>
      exportTo(port, resolve(cwd, dir), kinds, scope),
    );
    if (json) return ui.json({ records: counts, written });
    ui.table([['KIND', 'RECORDS'], ...Object.entries(counts).map(([kind, count]) => [kind, String(count)])]);
    ui.line();
    if (written.length === 0) ui.success(`${dir} was up to date.`);
    else ui.success(`Wrote ${written.length} ${written.length === 1 ? 'file' : 'files'} to ${dir}.`);
  },
});
