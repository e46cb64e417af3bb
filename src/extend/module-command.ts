import type { PortalParts } from './portal-parts.js';

/** Context of a module's command. */
export interface ModuleCommandContext {
  /** The portal of the host project; migrations have run. */
  readonly portal: PortalParts;
  /** The positional arguments by name. */
  readonly args: Readonly<Record<string, string | undefined>>;
  /** Prints a line. */
  line(text: string): void;
  /** The result for `--json`, which suppresses lines. */
  json(value: unknown): void;
}

/** A command that a module adds to `portal`, for example `mfa:reset`. */
export interface ModuleCommand {
  /** Starts with the module's name and a colon. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, in whole sentences. */
  readonly description: string;
  /** One or more whole command lines that work as they stand. */
  readonly example: string | readonly string[];
  /** Optional ones come last. */
  readonly arguments?: Readonly<Record<string, { readonly description: string; readonly optional?: boolean }>>;
  /** Runs as the operator. @returns the exit code; undefined means 0 */
  run(context: ModuleCommandContext): Promise<number | void>;
}
