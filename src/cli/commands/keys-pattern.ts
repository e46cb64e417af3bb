import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { requireHostProject } from '../host-project.js';

export const keysPattern = defineCommand({
  name: 'keys:pattern',
  summary: 'print the regular expression that finds keys in code and logs',
  description:
    'Prints the regular expression of the keys and secrets that the local gateway makes, for secret scanners: that of ' +
    'a code host, gitleaks, trufflehog, a log pipeline. It has the syntax that RE2, PCRE and JavaScript share. Keys that ' +
    'were made under an earlier keys.prefix need the pattern of that prefix besides.',
  example: ['portal keys:pattern', 'portal keys:pattern --with-old', 'git grep -P "$(portal keys:pattern)"'],
  options: { withOld: { type: 'flag', description: 'also the keys of before 0.7, pk_… and sk_…' } },
  reports: true,
  async run({ cwd, ui, json, options: { withOld } }) {
    await requireHostProject(cwd);
    const [{ loadConfig }, { keyPattern }] = await Promise.all([
      import('../../config/index.js'),
      import('../../gateway/index.js'),
    ]);
    const { config } = await loadConfig({ cwd });
    const { driver } = config.gateway;
    if (driver !== 'local') {
      throw new CommandFailedError(
        `Keys are made by the gateway ${driver}, which gives them a form of its own.`,
        'ask its documentation for the pattern',
      );
    }
    const pattern = keyPattern(config.keys, withOld);
    if (json) ui.json({ prefix: config.keys.prefix, pattern });
    else ui.line(pattern);
  },
});
