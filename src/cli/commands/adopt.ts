import { codeOptions, compareFolder, originOptions, withPort } from '../code-folder.js';
import { defineCommand } from '../command.js';
import { applySteps } from './apply.js';

export const adoptCommand = defineCommand({
  name: 'adopt',
  summary: 'let files manage records that are there',
  description:
    'Marks the records that the files name as managed by the name in portal.yaml, also those that something else managed, and ' +
    'changes nothing else about them. From then on portal apply --prune may delete them when the files drop them.',
  example: ['portal adopt', 'portal adopt --scope products --json'],
  options: { ...codeOptions, ...originOptions },
  reports: true,
  async run({ cwd, ui, json, options }) {
    const changes = { command: 'portal adopt', ...options };
    await withPort({ cwd, ui, server: options.server, changes }, async (port) => {
      const { steps } = await compareFolder(port, { cwd, options, adopts: true });
      await applySteps(port, { steps, stored: null, ui });
      if (json) ui.json({ adopted: steps.map(({ kind, key }) => `${kind}/${key}`) });
      else ui.success(`Adopted ${steps.length} ${steps.length === 1 ? 'record' : 'records'}.`);
    });
  },
});
