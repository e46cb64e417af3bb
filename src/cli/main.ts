import { existsSync, realpathSync } from 'node:fs';
import { resolve, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledFolder, readManifest } from '../core/manifest.js';
import type { ModuleCommand, PortalModule } from '../portal.js';
import { type CommandGroup, defineCommand, type CommandRow } from './command.js';
import { shippedCommands } from './commands.js';
import { EXIT } from './errors.js';
import { findNamedCommand, parseCommandLine } from './program.js';
import { reportError } from './report-error.js';
import { createUi } from './terminal-ui.js';
import type { Terminal } from './ui.js';

/**
 * Adds the commands of the project's modules when the named command does not ship. Only then is the configuration
 * loaded: commands that ship stay fast, and work while it is broken.
 * @throws ConfigurationError
 */
async function withModuleCommands(
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

/**
 * Runs one command line.
 * @param argv the words after `portal`
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 78 bad configuration
 */
export async function main(argv: readonly string[], terminal: Terminal = process): Promise<number> {
  outliveOutput(argv, terminal);
  const cwd = resolve(valueOf(argv, '--cwd') ?? '.');
  const hostCli = findHostCli(cwd);
  if (hostCli === undefined) return runCommandLine(argv, await shippedCommands(), cwd, terminal);
  const host = (await import(hostCli)) as { main: typeof main };
  return host.main(argv, terminal);
}

/** Runs a command line with another command table, for tests. The commands of the project's modules are added to it. */
export async function runCommandLine(
  argv: readonly string[],
  groups: readonly CommandGroup[],
  cwd: string,
  terminal: Terminal,
): Promise<number> {
  const json = argv.includes('--json');
  const ui = createUi(terminal, json);
  try {
    const table = await withModuleCommands(groups, findNamedCommand(argv), cwd);
    const invocation = await parseCommandLine(argv, table, readManifest().version, terminal);
    if (invocation === undefined) return EXIT.ok;
    const { command, options, args } = invocation;
    return (await command.run({ options, args, ui, cwd, json } as never)) ?? EXIT.ok;
  } catch (error) {
    const commanderCode = commanderExitCode(error);
    return commanderCode ?? reportError(error, ui, argv.includes('--verbose'), findNamedCommand(argv));
  }
}

// Commander also throws for help and version (exit code 0), and has already printed its output.
function commanderExitCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('exitCode' in error) || !('code' in error)) return undefined;
  if (!String(error.code).startsWith('commander.')) return undefined;
  return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}

function valueOf(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = argv[index];
  return word === undefined ? undefined : word === flag ? argv[index + 1] : word.slice(flag.length + 1);
}

// `portal config:show | head` closes the pipe early, which is no failure. A server keeps running when its output cannot
// be written because a disk is full (R28).
function outliveOutput(argv: readonly string[], { stdout, stderr }: Terminal): void {
  const isServer = findNamedCommand(argv) === 'serve';
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !isServer) throw error;
  });
  if (isServer) stderr.on('error', () => undefined);
}

/**
 * Finds the CLI of the portalkit installed in the host project, unless it is the one running. Host code imports its own
 * copy, and classes of two copies do not match.
 * @returns a module URL, or undefined when this copy is the right one
 */
function findHostCli(cwd: string): string | undefined {
  const folder = findInstalled(cwd);
  const cli = folder && join(folder, 'dist', 'cli', 'main.js');
  if (cli === undefined || !existsSync(cli)) return undefined;
  const own = realpathSync(fileURLToPath(new URL('cli/main.js', compiledFolder)));
  const host = realpathSync(cli);
  return host === own ? undefined : pathToFileURL(host).href;
}

// Resolves like Node: the nearest node_modules upwards that has the package, as in a workspace.
function findInstalled(from: string): string | undefined {
  const folder = join(from, 'node_modules', 'portalkit');
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : findInstalled(dirname(from));
}
