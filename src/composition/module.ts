import type { PortalRoute } from '../api/index.js';
import type { PortalConfig } from '../config/index.js';
import type { AdminResource, ResourceExtension } from '../console/index.js';
import type { Migration, EncryptedColumn } from '../database/index.js';
import type { AccountGate, AuthFlowInterface, LoginStep, StepUp } from '../domain/auth/index.js';
import type { GivenRole, PermissionSpec } from '../domain/rbac/index.js';
import type { Job } from '../jobs/index.js';
import { DeclarationError, type OptionSection, type OptionValues } from '../core/index.js';
import type { AccountLink, LoginLink, MenuLinks, Page } from '../theme/index.js';
import type { PortalParts } from './portal-parts.js';

/** A fault in a module's setting. */
export interface SettingFault {
  /** Path below the module's section: `providers`. */
  readonly setting: string;
  /** Continues the setting: "must be …". Never contains a secret. */
  readonly what: string;
  readonly fix?: string;
}

/** Argument of `register`: the whole portal, and the module's own settings. */
export interface ModuleParts<Config extends OptionSection = OptionSection> extends PortalParts {
  readonly options: OptionValues<Config>;
}

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

/** What a module adds to its portal. */
export interface ModuleContribution {
  /** Endpoints, made with `defineRoute`; documented with the portal's own. */
  readonly routes?: readonly PortalRoute[];
  /** Web pages, made with `definePage`; one with the path of a portal page replaces it. */
  readonly pages?: readonly Page[];
  /** Resources of the admin console, and additions to those that are there. */
  readonly adminResources?: readonly (AdminResource | ResourceExtension)[];
  /** Web pages of the console, made with `definePage` for `admins`, `guests` or `everyone`. */
  readonly consolePages?: readonly Page[];
  /** Additional steps of every login after the password, in API and theme, in the order of the modules. */
  readonly loginSteps?: readonly LoginStep[];
  /** Checked on every request of a signed-in account. */
  readonly gates?: readonly AccountGate[];
  /** An additional proof wherever an account must re-enter its password. */
  readonly stepUp?: StepUp;
  /** Wraps the login rules, including a host's own. */
  authFlow?(flow: AuthFlowInterface): AuthFlowInterface;
  /** Roles that it assigns to admins by name: these cannot be renamed or deleted meanwhile. */
  readonly givenRoles?: readonly GivenRole[];
  /** Additional ways to sign in, as links on the login and registration pages. */
  readonly loginLinks?: readonly LoginLink[];
  /** Account pages, as links in the account menu. */
  readonly accountLinks?: readonly AccountLink[];
  /** The same of the console: on its login page, in the menu of an admin's account. */
  readonly consoleLinks?: Partial<MenuLinks>;
  /** Background jobs; their names start with the module's. */
  readonly jobs?: readonly Job[];
  /** Releases the module's resources. */
  stop?(): Promise<void>;
}

/** An optional capability of a portal, listed under `modules` of `portal.config.ts`. */
export interface PortalModule<Name extends string = string, Config extends OptionSection = OptionSection> {
  /** Also the name of its configuration section: `mfa` is configured as `mfa.…` and `MFA_…`. */
  readonly name: Name;
  /** Its settings, made with the `option` builders. */
  readonly config?: Config;
  /** Checks settings that depend on each other, when the configuration is loaded. */
  check?(options: OptionValues<Config>, portal: PortalConfig): readonly SettingFault[];
  /** Name → migration. They run in one order with the portal's, by name: `20260131120000-create-tenants`. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** Columns of its tables with values of `parts.encrypter`; `portal keys:rotate --reseal` re-encrypts them. */
  readonly sealed?: readonly EncryptedColumn[];
  /**
   * Folder with `theme/`, `mail/` and `lang/`, absolute or as a file URL. The host's files take precedence, the
   * portal's are last.
   */
  readonly templates?: string | URL;
  /** Permissions that `portal rbac:seed` adds, for policies on its own resources. */
  readonly permissions?: readonly PermissionSpec[];
  /** Commands for `portal`; used when no shipped command has that name. */
  readonly commands?: readonly ModuleCommand[];
  /** Adds the module to one portal. Called once; must not connect to anything. */
  register?(parts: ModuleParts<Config>): ModuleContribution;
}

const NAME = /^[a-z][A-Za-z0-9]*$/;
const MIGRATION = /^\d{14}-[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Declares a module.
 * @throws DeclarationError for a name that cannot be a configuration section, or a migration name without an order
 */
export function definePortalModule<
  const Name extends string,
  const Config extends OptionSection = Record<never, never>,
>(module: PortalModule<Name, Config>): PortalModule<Name, Config> {
  const { name, migrations = {}, commands = [] } = module;
  if (!NAME.test(name)) {
    throw new DeclarationError(`the module "${name}" needs a name like mfa or tenantBilling: letters and digits only.`);
  }
  const unnamed = Object.keys(migrations).find((migration) => !MIGRATION.test(migration));
  if (unnamed !== undefined) {
    throw new DeclarationError(
      `the migration "${unnamed}" of ${name} needs a name like 20260131120000-create-tenants.`,
    );
  }
  const foreign = commands.find((command) => !command.name.startsWith(`${name}:`));
  if (foreign) throw new DeclarationError(`the command "${foreign.name}" of ${name} must be called ${name}:….`);
  return module;
}
