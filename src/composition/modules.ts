import type { PortalRoute } from '../api/index.js';
import type { AdminResource, ResourceExtension } from '../console/index.js';
import type { NamedMigration } from '../database/index.js';
import type { AccountGate, AuthFlowInterface, LoginStep, StepUp } from '../domain/auth/index.js';
import type { GivenRole } from '../domain/rbac/index.js';
import { DeclarationError } from '../core/index.js';
import type { JobRunner } from '../jobs/index.js';
import { withHostPages, type MenuLinks, type Page } from '../theme/index.js';
import { checkFlow } from './replacements.js';
import type { DomainBase } from './base.js';
import type { HostExtensions } from './extensions.js';
import type { ModuleContribution, PortalModule } from './module.js';
import type { PortalParts } from './portal-parts.js';

/** Everything that modules and the host add to a portal. */
export interface Registered {
  readonly routes: readonly PortalRoute[];
  readonly links: MenuLinks;
  /** Merges the given pages with theirs, which replace those of the same path; the host's win. */
  addPages(pages: readonly Page[]): readonly Page[];
  /** What they add to the console. */
  readonly console: ConsoleAdditions;
  /** Releases their resources. */
  stop(): Promise<void>;
}

interface ConsoleAdditions {
  readonly resources: readonly (AdminResource | ResourceExtension)[];
  readonly pages: readonly Page[];
  readonly links: MenuLinks;
}

/** Collects what modules add to accounts and sign-in: `LoginExtensions` and more. */
export interface LoginRegistry {
  readonly givenRoles: GivenRole[];
  readonly steps: LoginStep[];
  readonly gates: AccountGate[];
  readonly stepUps: StepUp[];
  /** The host's or the portal's flow, wrapped by modules; looked up at each sign-in. */
  flow: AuthFlowInterface | null;
}

export const createLoginRegistry = (): LoginRegistry => ({
  ...{ givenRoles: [], steps: [], gates: [], stepUps: [] },
  flow: null,
});

/** The modules' migrations; a host's of the same name win. @throws DeclarationError for a duplicate name */
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

/** The parts of a portal, once its services exist. */
export function createPortalParts(
  base: DomainBase,
  { services, limits, mail }: Pick<PortalParts, 'services' | 'limits' | 'mail'>,
): PortalParts {
  const { config, events, database, lists, hasher, encrypter, outbound, background, clock, logger, keys } = base;
  return {
    ...{ config, services, events, database, lists, limits, mail, keys },
    ...{ hasher, encrypter, outbound, background, clock, logger },
    address: { ...base.pages, base: () => base.address.base() },
  };
}

/**
 * Registers every module, in the order of `modules`, and then the host's own code, once the services exist.
 * @param login collects their steps, gates and step-ups
 */
export function register(
  { modules, extensions }: Pick<DomainBase, 'modules' | 'extensions'>,
  parts: PortalParts,
  login: LoginRegistry,
  jobs: Pick<JobRunner, 'add'>,
): Registered {
  const contributions = modules.map((module) => {
    const contribution = contributionOf(module, parts);
    const { givenRoles = [], loginSteps = [], gates = [], stepUp, authFlow } = contribution;
    login.givenRoles.push(...givenRoles);
    login.steps.push(...loginSteps);
    login.gates.push(...gates);
    if (stepUp) login.stepUps.push(stepUp);
    if (authFlow) login.flow = checkFlow(`authFlow of ${module.name}`, authFlow(parts.services.auth.flow));
    jobs.add(jobsOf(module.name, contribution));
    return contribution;
  });
  return {
    routes: [...contributions.flatMap(({ routes = [] }) => routes), ...hostRoutes(extensions, parts)],
    links: {
      login: contributions.flatMap(({ loginLinks = [] }) => loginLinks),
      account: contributions.flatMap(({ accountLinks = [] }) => accountLinks),
    },
    addPages: (pages) => {
      const withModules = withHostPages(
        pages,
        contributions.flatMap(({ pages: own = [] }) => own),
      );
      return withHostPages(withModules, extensions.pages?.(parts) ?? []);
    },
    console: {
      resources: [
        ...contributions.flatMap(({ adminResources = [] }) => adminResources),
        ...(extensions.adminResources?.(parts) ?? []),
      ],
      pages: contributions.flatMap(({ consolePages = [] }) => consolePages),
      links: {
        login: contributions.flatMap(({ consoleLinks: { login = [] } = {} }) => login),
        account: contributions.flatMap(({ consoleLinks: { account = [] } = {} }) => account),
      },
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

function isRoute(value: unknown): value is PortalRoute {
  return typeof (value as Partial<PortalRoute> | null | undefined)?.handle === 'function';
}

/** The result of `routes` in `portal.config.ts`. @throws DeclarationError when it is not an array of routes */
function hostRoutes({ routes }: HostExtensions, parts: PortalParts): readonly PortalRoute[] {
  const declared: unknown = routes?.(parts) ?? [];
  if (Array.isArray(declared) && declared.every(isRoute)) return declared;
  throw new DeclarationError('routes of portal.config.ts must return an array of what defineRoute returns.');
}
