import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
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
    const { findClosest } = await import('../../core/closest.js');
    const { describeConfig } = await import('../../config/index.js');
    const { settings, warnings } = await describeConfig({ cwd });
    const wanted = settings.filter(({ path }) => isBelow(path, args.path));
    if (args.path !== undefined && wanted.length === 0) {
      const suggestion = findClosest(
        args.path,
        settings.flatMap(({ path }) => withSections(path)),
      );
      const hint = suggestion === undefined ? 'portal config:show lists them.' : `Did you mean ${suggestion}?`;
      throw new UsageError(`There is no setting ${args.path}. ${hint}`);
    }
    const shown = wanted.filter(({ source }) => !(options.changed && source === 'default'));
    if (json) ui.json({ settings: shown.map(({ text: _, ...setting }) => setting), warnings });
    else if (shown.length === 0) ui.line('Everything has its default.');
    else
      ui.table([
        ['SETTING', 'VALUE', 'SOURCE'],
        ...shown.map((row) => [row.path, row.text.replaceAll('\n', '\\n') || '–', row.source]),
      ]);
    for (const warning of warnings) ui.warn(warning);
  },
});

/** `app.name` → `app`, `app.name`. */
function withSections(path: string): string[] {
  const parts = path.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

function isBelow(path: string, wanted: string | undefined): boolean {
  return wanted === undefined || path === wanted || path.startsWith(`${wanted}.`);
}
