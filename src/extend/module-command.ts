import type { PortalParts } from './portal-parts.js';

/** What a command of a module runs with. */
export interface ModuleCommandContext {
  /** The portal of the host project; its migrations have run. */
  readonly portal: PortalParts;
  /** The words behind the command, by the names of its arguments. */
  readonly args: Readonly<Record<string, string | undefined>>;
  /** A line of the answer. */
  line(text: string): void;
  /** The answer for `--json`; lines are then left out. */
  json(value: unknown): void;
}

/** A command of `portal` that a module brings, for example `mfa:reset`. */
export interface ModuleCommand {
  /** Begins with the name of the module and a colon. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, in whole sentences. */
  readonly description: string;
  /** One or more whole command lines that work as they stand. */
  readonly example: string | readonly string[];
  /** Optional ones come last. */
  readonly arguments?: Readonly<Record<string, { readonly description: string; readonly optional?: boolean }>>;
  /** It acts on behalf of the operator. @returns the exit code; nothing is 0 */
  run(context: ModuleCommandContext): Promise<number | void>;
}
