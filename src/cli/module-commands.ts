import type { ModuleCommand, PortalModule } from '../portal.js';
import { defineCommand, type CommandGroup, type CommandRow } from './command.js';

/**
 * Adds the commands of the project's modules when the named command does not ship. Only then is the configuration
 * loaded: commands that ship stay fast, and work while it is broken.
 * @throws ConfigurationError
 */
export async function withModuleCommands(
  groups: readonly CommandGroup[],
  named: string | undefined,
  cwd: string,
): Promise<readonly CommandGroup[]> {
  const isShipped = groups.some(({ commands }) => commands.some(({ name }) => name === named));
  // Module commands start with the name of their module.
  if (named === undefined || !named.includes(':') || isShipped) return groups;
  const { findConfigFile, loadConfig } = await import('../config/index.js');
  if (findConfigFile(cwd) === undefined) return groups;
  const { extensions } = await loadConfig({ cwd });
  const modules = (extensions.modules ?? []) as readonly PortalModule[];
  const further = modules.map(({ name, commands = [] }) => ({ title: `Module ${name}`, commands: commands.map(row) }));
  return [...groups, ...further.filter(({ commands }) => commands.length > 0)];
}

function row(command: ModuleCommand): CommandRow {
  const { name, summary, description, example, arguments: words = {} } = command;
  const declared = defineCommand({
    ...{ name, summary, description, example, arguments: words },
    reports: true,
    run: async ({ cwd, ui, args, json: isJson }) => {
      const { withPortal } = await import('./open-portal.js');
      return withPortal({ cwd, ui }, ({ parts }) =>
        command.run({
          portal: parts,
          args,
          line: (text) => ui.line(text),
          json: (value) => isJson && ui.json(value),
        }),
      );
    },
  });
  return { name, summary, load: () => Promise.resolve(declared) };
}
