import { defineCommand } from '../command.js';
import { requireHostProject } from '../host-project.js';

export const configShow = defineCommand({
  name: 'config:show',
  summary: 'show the effective configuration and where each value comes from',
  description:
    'Shows every setting with its effective value and its source: environment, .env, file or default. ' +
    'Secrets are masked. Warnings about unsafe values go to standard error.',
  example: ['portal config:show', 'portal config:show --changed', 'portal config:show portalApi --json'],
  arguments: { path: { description: 'only this setting, or the settings below this path', optional: true } },
  options: { changed: { type: 'flag', description: 'leave out what has its default' } },
  reports: true,
  async run({ cwd, ui, options, args, json }) {
    await requireHostProject(cwd);
    const { describeConfig } = await import('../../config/index.js');
    const { settings, warnings } = await describeConfig({ cwd });
    const shown = settings.filter(
      ({ path, source }) => isBelow(path, args.path) && !(options.changed && source === 'default'),
    );
    if (json) ui.json({ settings: shown.map(({ text: _, ...setting }) => setting), warnings });
    else if (shown.length === 0) ui.line('Nothing to show.');
    else
      ui.table([
        ['SETTING', 'VALUE', 'SOURCE'],
        ...shown.map((row) => [row.path, row.text.replaceAll('\n', '\\n') || '–', row.source]),
      ]);
    for (const warning of warnings) ui.warn(warning);
  },
});

function isBelow(path: string, wanted: string | undefined): boolean {
  return wanted === undefined || path === wanted || path.startsWith(`${wanted}.`);
}
