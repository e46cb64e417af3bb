import type { PortalRoute } from '../api/index.js';
import type { PortalConfig } from '../config/index.js';
import type { Migration, SealedColumn } from '../database/index.js';
import type { AccountGate, AuthFlowInterface, LoginStep, StepUp } from '../domain/auth/index.js';
import type { GivenRole, PermissionSpec } from '../domain/rbac/index.js';
import type { Job } from '../jobs/index.js';
import { DeclarationError, type OptionSection, type OptionValues } from '../core/index.js';
import type { AccountLink, LoginLink, Page } from '../theme/index.js';
import type { ModuleCommand } from './module-command.js';
import type { PortalParts } from './portal-parts.js';

/** What is wrong with a setting of a module. */
export interface SettingFault {
  /** Below the section of the module: `providers`. */
  readonly setting: string;
  /** Goes on after the setting: "must be …". Never holds a secret. */
  readonly what: string;
  readonly fix?: string;
}

/** What `register` is given: the whole portal, and the module's own settings. */
export interface ModuleParts<Config extends OptionSection = OptionSection> extends PortalParts {
  readonly options: OptionValues<Config>;
}

/** What a module hangs into the portal it was registered with. */
export interface ModuleContribution {
  /** Endpoints, made with `defineRoute`; they appear in the documents beside the portal's own. */
  readonly routes?: readonly PortalRoute[];
  /** Web pages, made with `definePage`; one at an address of the portal replaces it. */
  readonly pages?: readonly Page[];
  /** Further steps of every login after the password, in API and theme alike, in the order of the modules. */
  readonly loginSteps?: readonly LoginStep[];
  /** Asked with every request of a signed-in account. */
  readonly gates?: readonly AccountGate[];
  /** What else an account proves where it has to prove its password anew. */
  readonly stepUp?: StepUp;
  /** Wraps the login rules, the host's own included. */
  authFlow?(flow: AuthFlowInterface): AuthFlowInterface;
  /** Roles that it gives to admins by their names: they are not renamed or deleted while it does. */
  readonly givenRoles?: readonly GivenRole[];
  /** Further ways to sign in, as links on the login and the registration page. */
  readonly loginLinks?: readonly LoginLink[];
  /** Pages about the own account, as links in the menu of the account. */
  readonly accountLinks?: readonly AccountLink[];
  /** Work outside of requests; the names begin with that of the module. */
  readonly jobs?: readonly Job[];
  /** Frees what the module holds. */
  stop?(): Promise<void>;
}

/** An optional capability of a portal, listed under `modules` of `portal.config.ts`. */
export interface PortalModule<Name extends string = string, Config extends OptionSection = OptionSection> {
  /** Its section of the configuration has this name: `mfa` is configured as `mfa.…` and `MFA_…`. */
  readonly name: Name;
  /** Its settings, made with the builders of `option`. */
  readonly config?: Config;
  /** Judges settings that depend on one another, while the configuration is loaded. */
  check?(options: OptionValues<Config>, portal: PortalConfig): readonly SettingFault[];
  /** Name → migration. They run in one order with those of the portal, by name: `20260131120000-create-tenants`. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /** Columns of its tables that hold what `parts.encrypter` encrypted; `portal keys:rotate --reseal` renews them. */
  readonly sealed?: readonly SealedColumn[];
  /** Folder with `theme/`, `mail/` and `lang/`, absolute or as a file URL. A host's files come first, the portal's last. */
  readonly templates?: string | URL;
  /** Permissions that `portal rbac:seed` adds, for policies on resources of its own. */
  readonly permissions?: readonly PermissionSpec[];
  /** Commands of `portal`, found when no command of that name ships. */
  readonly commands?: readonly ModuleCommand[];
  /** Hangs the module into one portal. Called once, without contacting anything. */
  register?(parts: ModuleParts<Config>): ModuleContribution;
}

const NAME = /^[a-z][A-Za-z0-9]*$/;
const MIGRATION = /^\d{14}-[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Declares a module.
 * @throws DeclarationError for a name that is no section of the configuration, or a migration without a place in the order
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
