import type { PortalRoute } from '../api/index.js';
import type { NamedMigration } from '../database/index.js';
import type { AccountGate, AuthFlowInterface, LoginStep, StepUp } from '../domain/auth/index.js';
import type { GivenRole } from '../domain/rbac/index.js';
import { DeclarationError } from '../core/index.js';
import type { JobRunner } from '../jobs/index.js';
import type { Page, MenuLinks } from '../theme/index.js';
import { checkFlow } from '../composition/auth.js';
import type { ModuleContribution, PortalModule } from './module.js';
import type { PortalParts } from './portal-parts.js';

/** What all modules of a portal bring together. */
export interface InstalledModules {
  readonly routes: readonly PortalRoute[];
  readonly pages: readonly Page[];
  readonly links: MenuLinks;
  /** Frees what they hold. */
  stop(): Promise<void>;
}

/** What modules add to accounts and signing in, while it is being filled: `LoginExtensions` and more. */
export interface LoginRegistry {
  readonly givenRoles: GivenRole[];
  readonly steps: LoginStep[];
  readonly gates: AccountGate[];
  readonly stepUps: StepUp[];
}

export const loginRegistry = (): LoginRegistry => ({ givenRoles: [], steps: [], gates: [], stepUps: [] });

/** Their migrations; a host's of the same name come later and win. @throws DeclarationError for a name used twice */
export function moduleMigrations(modules: readonly PortalModule[]): NamedMigration[] {
  const owners = new Map<string, string>();
  return modules.flatMap(({ name: module, migrations = {} }) =>
    Object.entries(migrations).map(([name, migration]) => {
      const owner = owners.get(name);
      if (owner !== undefined) throw new DeclarationError(`${owner} and ${module} both bring the migration ${name}.`);
      owners.set(name, module);
      return { name, load: () => Promise.resolve(migration) };
    }),
  );
}

/**
 * Registers every module with a portal whose services are there, in the order of `modules`.
 * @param login where their steps, gates and step-ups go
 */
export function installModules(
  modules: readonly PortalModule[],
  parts: PortalParts,
  login: LoginRegistry,
  jobs: Pick<JobRunner, 'add'>,
): InstalledModules {
  const contributions = modules.map((module) => {
    const contribution = contributionOf(module, parts);
    const { givenRoles = [], loginSteps = [], gates = [], stepUp, authFlow } = contribution;
    login.givenRoles.push(...givenRoles);
    login.steps.push(...loginSteps);
    login.gates.push(...gates);
    if (stepUp) login.stepUps.push(stepUp);
    if (authFlow) replaceFlow(parts, checkFlow(`authFlow of ${module.name}`, authFlow(parts.services.auth.flow)));
    jobs.add(jobsOf(module.name, contribution));
    return contribution;
  });
  return {
    routes: contributions.flatMap(({ routes = [] }) => routes),
    pages: contributions.flatMap(({ pages = [] }) => pages),
    links: {
      login: contributions.flatMap(({ loginLinks = [] }) => loginLinks),
      account: contributions.flatMap(({ accountLinks = [] }) => accountLinks),
    },
    stop: async () => {
      for (const { stop } of contributions.reverse()) await stop?.();
    },
  };
}

function contributionOf({ name, register }: PortalModule, parts: PortalParts): ModuleContribution {
  const options = (parts.config as unknown as Readonly<Record<string, object>>)[name] ?? {};
  return register?.({ ...parts, options: options as never }) ?? {};
}

function jobsOf(module: string, { jobs = [] }: ModuleContribution) {
  const foreign = jobs.find(({ name }) => name !== module && !name.startsWith(`${module}-`));
  if (foreign) throw new DeclarationError(`the job "${foreign.name}" of ${module} must be called ${module}-….`);
  return jobs;
}

// Everybody asks `services.auth.flow` when somebody signs in; while the portal is put together nobody has asked yet.
function replaceFlow({ services }: PortalParts, flow: AuthFlowInterface): void {
  Object.assign(services.auth, { flow });
}
