import { Argument, Command as Commander, InvalidArgumentError, Option } from 'commander';
import type { AnyCommand, CommandArgument, CommandGroup, CommandOption, CommandRow } from './command.js';
import type { Terminal } from './ui.js';

/** A parsed command line. */
export interface Invocation {
  readonly command: AnyCommand;
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface GlobalOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/**
 * Parses a command line with commander. Only the named command is loaded.
 * @returns undefined when help or the version was printed
 * @throws CommanderError for an invalid command line; commander has printed why
 */
export async function parseCommandLine(
  argv: readonly string[],
  groups: readonly CommandGroup[],
  version: string,
  terminal: Terminal,
): Promise<Invocation | undefined> {
  let invocation: Invocation | undefined;
  const program = createProgram(version, terminal);
  const named = findNamedCommand(argv);
  for (const { title, commands } of groups) {
    for (const row of commands) {
      const sub = program.command(row.name).summary(row.summary).description(row.summary).helpGroup(`${title}:`);
      if (row.name === named) await declare(sub, row, (found) => (invocation = found));
    }
  }
  if (argv.length === 0) program.outputHelp();
  else await program.parseAsync([...argv], { from: 'user' });
  return invocation;
}

function createProgram(version: string, { stdout, stderr }: Terminal): Commander {
  return new Commander('portal')
    .description('The toolkit for API developer portals.')
    .version(version, '-V, --version', 'print the version')
    .option('--cwd <dir>', 'work in this folder instead of the current one')
    .option('--verbose', 'show where an unexpected error happened')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (sub) => sub.name() })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
    .showHelpAfterError('Run with --help to see how it is used.')
    .addHelpText('after', '\nportal <command> --help explains a command, with an example.')
    .exitOverride();
}

/** The first word that is neither a flag nor the value of a global flag; after `help`, the next one. */
export function findNamedCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((word, index) => !word.startsWith('-') && argv[index - 1] !== '--cwd');
  return words[0] === 'help' ? words[1] : words[0];
}

async function declare(sub: Commander, row: CommandRow, found: (invocation: Invocation) => void): Promise<void> {
  const command = await row.load();
  const examples = [command.example].flat().map((example) => `  $ ${example}`);
  sub.description(command.description).addHelpText('after', `\nExample:\n${examples.join('\n')}`);
  const argumentNames = Object.keys(command.arguments ?? {});
  for (const [name, argument] of Object.entries(command.arguments ?? {})) {
    sub.addArgument(new Argument(argumentTerm(name, argument), argument.description));
  }
  for (const [name, option] of Object.entries(command.options ?? {})) sub.addOption(commanderOption(name, option));
  if (command.reports === true) sub.option('--json', 'print the result as JSON');
  sub.action((...values: unknown[]) => {
    const args = Object.fromEntries(
      argumentNames.map((name, index) => [name, values[index] as Invocation['args'][string]]),
    );
    found({ command, options: readOptions(command, sub), args });
  });
}

/**
 * An argument as shown in the help and the docs.
 * @public for scripts/generate-docs.mjs
 */
export function argumentTerm(name: string, { optional, variadic }: CommandArgument): string {
  const term = `${kebab(name)}${variadic === true ? '...' : ''}`;
  return optional === true ? `[${term}]` : `<${term}>`;
}

/**
 * The flags of an option as shown in the help and the docs.
 * @public for scripts/generate-docs.mjs
 */
export function optionFlags(name: string, option: CommandOption): string {
  const flag = `--${option.default === true ? 'no-' : ''}${kebab(name)}`;
  if (option.type === 'flag') return flag;
  return `${flag} <${option.placeholder ?? kebab(name)}${option.type === 'list' ? '...' : ''}>`;
}

function commanderOption(name: string, option: CommandOption): Option {
  const made = new Option(optionFlags(name, option), option.description);
  if (option.choices !== undefined) made.choices(option.choices);
  if (option.type === 'integer') made.argParser(parseWholeNumber);
  return option.default === undefined || option.type === 'flag' ? made : made.default(option.default);
}

function parseWholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function readOptions({ options = {} }: AnyCommand, sub: Commander): Record<string, unknown> {
  const values: Record<string, unknown> = sub.opts();
  const entries = Object.entries(options).map(([name, { type, default: fallback }]) => {
    return [name, values[name] ?? (type === 'flag' ? fallback === true : undefined)];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
