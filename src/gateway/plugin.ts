import type { CommandRow } from '../cli/command.js';
import type { OptionSection, OptionValues } from '../core/index.js';
import type { GatewayContext } from './context.js';
import type { GatewayDriver } from './contract.js';

/**
 * Reports a fault of a setting below `gateway.<name>`; `what` continues the sentence after its path and never holds a
 * secret.
 */
type TellSetting = (setting: string, what: string, fix: string) => void;

/** What `check` gets besides the options. */
export interface DriverCheck {
  readonly isProduction: boolean;
  /** For settings that can never work. */
  readonly fault: TellSetting;
  /** For dangerous settings: refused in production, a warning in development, silent in tests. */
  readonly unsafe: TellSetting;
}

/** One line of `portal doctor`. A failure keeps the portal from working; a warning does not. */
export interface DriverFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failure';
  readonly message: string;
  /** An instruction without a full stop. */
  readonly fix?: string;
}

/** What `inspect` may learn about the machine. */
export interface DriverMachine {
  /** Folder of the host project. */
  readonly root: string;
  /** Whether other users of the machine may read or change a file. */
  isOpenToOthers(file: string): boolean;
}

/** How `portal init` offers the driver. */
interface DriverChoice {
  readonly label: string;
  readonly hint: string;
  /** Lines for `.env`. */
  readonly env: string;
  /** The variables in it that still need a value. */
  readonly toFillIn: string;
  /** What else to know before the first start. */
  readonly tip?: string;
}

/**
 * A built-in driver: everything that the rest of the portal knows of it. The declaration loads neither packages nor the
 * driver, because every start of the command line reads it.
 */
export interface GatewayPlugin<Options extends OptionSection = OptionSection> {
  /** Its settings, `gateway.<name>.…`. */
  readonly options: Options;
  readonly choice: DriverChoice;
  /** Its `portal doctor` checks: stable name → meaning. */
  readonly doctorChecks?: Readonly<Record<string, string>>;
  /** Commands of `portal`, in the group of the gateway. */
  readonly commands?: readonly CommandRow[];
  /** Defaults derived from other options. */
  derive?(options: OptionValues<Options>): { readonly [Name in keyof Options]?: unknown };
  /** Validates options that depend on one another. */
  check?(options: OptionValues<Options>, context: DriverCheck): void;
  /** Checks local prerequisites of the driver; makes no network calls. */
  inspect?(options: OptionValues<Options>, machine: DriverMachine): readonly DriverFinding[];
  /** @param root folder of the host project */
  open(options: OptionValues<Options>, context: GatewayContext, root: string): Promise<GatewayDriver>;
}
