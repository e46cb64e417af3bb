import type { Ui } from './ui.js';

/** A flag of a command; `camelCase` names become `--kebab-case`. A flag whose default is true becomes `--no-…`. */
export interface CommandOption {
  readonly type: 'flag' | 'text' | 'integer' | 'choice' | 'list';
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string | number | boolean | readonly string[];
  /** Placeholder of the value in the help; the name by default. */
  readonly placeholder?: string;
}

export interface CommandArgument {
  readonly description: string;
  /** Optional arguments come last. */
  readonly optional?: boolean;
  /** Takes one or more values; only for the last argument. */
  readonly variadic?: boolean;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;
export type CommandArguments = Readonly<Record<string, CommandArgument>>;

type RawValue<O extends CommandOption> = O['type'] extends 'flag'
  ? boolean
  : O['type'] extends 'integer'
    ? number
    : O['type'] extends 'list'
      ? readonly string[]
      : O['choices'] extends readonly (infer C)[]
        ? C
        : string;

/** Parsed options: flags are always present, other options only when given or when they have a default. */
export type OptionsOf<O extends CommandOptions> = {
  readonly [K in keyof O]: O[K]['type'] extends 'flag'
    ? boolean
    : O[K] extends { readonly default: unknown }
      ? RawValue<O[K]>
      : RawValue<O[K]> | undefined;
};

export type ArgumentsOf<A extends CommandArguments> = {
  readonly [K in keyof A]: A[K] extends { readonly optional: true }
    ? string | undefined
    : A[K] extends { readonly variadic: true }
      ? readonly string[]
      : string;
};

export interface CommandContext<O extends CommandOptions, A extends CommandArguments> {
  readonly options: OptionsOf<O>;
  readonly args: ArgumentsOf<A>;
  readonly ui: Ui;
  /** Absolute path of the folder to work in: `--cwd`, or where the process was started. */
  readonly cwd: string;
  /** `--json` was given: only `ui.json(…)` may write to standard output, which `ui` enforces. */
  readonly json: boolean;
}

export interface Command<O extends CommandOptions = CommandOptions, A extends CommandArguments = CommandArguments> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, in whole sentences. */
  readonly description: string;
  /** One or more whole command lines that work as they stand. */
  readonly example: string | readonly string[];
  readonly arguments?: A;
  readonly options?: O;
  /** The command reports data and takes `--json`. */
  readonly reports?: boolean;
  /** @returns the exit code; undefined means 0. Must not call `process.exit`; import heavy modules in here. */
  run(context: CommandContext<O, A>): Promise<number | void>;
}

/** Declares a command; list it in `commands.ts` to make it available. */
export function defineCommand<
  const O extends CommandOptions = Record<never, never>,
  const A extends CommandArguments = Record<never, never>,
>(command: Command<O, A>): AnyCommand {
  return command;
}

/** A command with its option types erased. */
export type AnyCommand = Command;

/** An entry of the command table: enough for the list of commands without loading any. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandRow[];
}
