import type { PortalRoute } from '../api/index.js';
import type { PortalServices } from '../domain/services.js';
import type { PortalConfig, PortalConfigInput } from '../config/index.js';
import type { Database } from '../database/index.js';
import type { PasswordHasher } from '../domain/accounts/index.js';
import type {
  ApiGuard,
  AuthContext,
  AuthFlowInterface,
  AuthFlowParts,
  SessionService,
  TokenServiceInterface,
  TokenServiceParts,
} from '../domain/auth/index.js';
import type { AdminResource, ResourceExtension } from '../console/index.js';
import type { ApiAuthorizer, RbacService } from '../domain/rbac/index.js';
import type { GatewayFactory } from '../gateway/index.js';
import type { Clock, Logger, OptionInputs } from '../core/index.js';
import type { Mailer, MailQueue } from '../mail/index.js';
import type { Page } from '../theme/index.js';
import type { PortalModule } from './module.js';
import type { PortalParts } from './portal-parts.js';

/** Arguments of `authFlow`: the parts of the flow, and what a host's rules need besides. */
export interface HostAuthFlowParts extends AuthFlowParts {
  readonly config: PortalConfig;
  readonly database: Database;
  readonly mail: MailQueue;
}

/** Arguments of a guard factory. */
export interface ApiGuardParts {
  /** The context whose routes it guards. */
  readonly context: AuthContext;
  /** The shipped guard for that context, to call or replace. */
  readonly standard: ApiGuard;
  readonly config: PortalConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: PortalServices['accounts'];
  readonly sessions: SessionService;
  readonly tokens: TokenServiceInterface;
}

/** Arguments of `authorizer`. */
export interface AuthorizerParts {
  readonly clock: Clock;
  readonly accounts: PortalServices['accounts'];
  readonly rbac: RbacService;
}

/** Arguments of `mailer`. */
export interface MailerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Folder of the host project. */
  readonly root: string;
}

/** The code hooks of `portal.config.ts`. Each is called once, when the portal is assembled. */
export interface HostExtensions {
  /** Replaces the login rules of API and theme alike; most extend `AuthFlow`. */
  authFlow?(parts: HostAuthFlowParts): AuthFlowInterface;
  /** Replaces the token life cycle; most extend `TokenService`. */
  tokenService?(parts: TokenServiceParts): TokenServiceInterface;
  /** API guards by name, selected with `portalApi.guards`; `api` and `admin` replace the shipped ones. */
  readonly guards?: Readonly<Record<string, (parts: ApiGuardParts) => ApiGuard>>;
  /** Replaces the second layer of authorization. */
  authorizer?(parts: AuthorizerParts): ApiAuthorizer;
  /** Replaces password hashing. */
  passwordHasher?(): PasswordHasher;
  /** Replaces mail delivery. */
  mailer?(parts: MailerParts): Mailer;
  /** Additional endpoints, declared like the portal's own. */
  routes?(portal: PortalParts): readonly PortalRoute[];
  /** Additional web pages, made with `definePage`; one with the path of a portal page replaces it. */
  pages?(portal: PortalParts): readonly Page[];
  /**
   * Resources of the admin console, made with `defineAdminResource`, and what `extendAdminResource` adds to those that are
   * there; one with the name of a resource of the portal replaces it.
   */
  adminResources?(portal: PortalParts): readonly (AdminResource | ResourceExtension)[];
  /** Subscribes to events: `events.on(…)`, `events.within(…)`. */
  listen?(portal: PortalParts): void;
  /** Gateways by name, selected with `gateway.driver`; their options are under `gateway.<name>`. */
  readonly gatewayDrivers?: Readonly<Record<string, GatewayFactory>>;
}

type ModuleInputs<Modules extends readonly PortalModule[]> = {
  readonly [M in Modules[number] as M['name']]?: M extends PortalModule<string, infer Config>
    ? OptionInputs<Config>
    : never;
};

/** What `portal.config.ts` exports: any part of the options, those of its modules included, plus code. */
export type PortalDefinition<Modules extends readonly PortalModule[] = readonly []> = PortalConfigInput &
  HostExtensions & {
    /** Optional capabilities, for example `mfa` of `portalkit/mfa`. */
    readonly modules?: Modules;
  } & ModuleInputs<Modules>;

/** Types the configuration of a host project; the value is validated when loaded. */
export function defineConfig<const Modules extends readonly PortalModule[] = readonly []>(
  definition: PortalDefinition<Modules>,
): PortalDefinition<Modules> {
  return definition;
}
