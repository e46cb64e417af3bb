import type { Ui } from './ui.js';

/** A flag of a command; `camelCase` names become `--kebab-case`. A flag whose default is true becomes `--no-…`. */
export interface CommandOption {
  readonly type: 'flag' | 'text' | 'integer' | 'choice' | 'list';
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string | number | boolean | readonly string[];
  /** What stands for the value in the help; the name by default. */
  readonly placeholder?: string;
}

export interface CommandArgument {
  readonly description: string;
  /** Optional arguments come last. */
  readonly optional?: boolean;
  /** One or more of it; the last argument of a command. */
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

/** What a command reads: flags are always there, the rest only when given or when it has a default. */
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
  /** `--json` was given: nothing but `ui.json(…)` may reach standard output; `ui` sees to it. */
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
  /** The command reports something and takes `--json`. */
  readonly reports?: boolean;
  /** @returns the exit code; nothing is 0. Never calls `process.exit`; heavy modules are imported in here. */
  run(context: CommandContext<O, A>): Promise<number | void>;
}

/** Declares a command; it becomes visible through one row of the table in `commands.ts`. */
export function defineCommand<
  const O extends CommandOptions = Record<never, never>,
  const A extends CommandArguments = Record<never, never>,
>(command: Command<O, A>): AnyCommand {
  return command;
}

/** A command whose options are known to itself only. */
export type AnyCommand = Command;

/** A row of the table: enough for the list of commands without loading any of them. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandRow[];
}
