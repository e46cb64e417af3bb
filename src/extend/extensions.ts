import type { PortalRoute, PortalServices } from '../api/index.js';
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
import type { ApiAuthorizer, RbacService } from '../domain/rbac/index.js';
import type { GatewayFactory } from '../gateway/index.js';
import { DeclarationError, type Clock, type Logger, type OptionInputs } from '../core/index.js';
import type { Mailer, MailQueue } from '../mail/index.js';
import type { Page } from '../theme/index.js';
import type { PortalModule } from './module.js';
import type { PortalParts } from './portal-parts.js';

/** What `authFlow` is given: the parts of the flow, and what rules of a host need beside them. */
export interface HostAuthFlowParts extends AuthFlowParts {
  readonly config: PortalConfig;
  readonly database: Database;
  readonly mail: MailQueue;
}

/** What a guard is made of. */
export interface ApiGuardParts {
  /** Whose routes it guards. */
  readonly context: AuthContext;
  /** The guard that ships for them, to be asked first or instead. */
  readonly standard: ApiGuard;
  readonly config: PortalConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: PortalServices['accounts'];
  readonly sessions: SessionService;
  readonly tokens: TokenServiceInterface;
}

/** What `authorizer` is given. */
export interface AuthorizerParts {
  readonly clock: Clock;
  readonly accounts: PortalServices['accounts'];
  readonly rbac: RbacService;
}

/** What `mailer` is given. */
export interface MailerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Folder of the host project. */
  readonly root: string;
}

/** The code that `portal.config.ts` hangs into the portal. Each is called once, when the portal is put together. */
export interface HostExtensions {
  /** Replaces the login rules of API and theme alike; most extend `AuthFlow`. */
  authFlow?(parts: HostAuthFlowParts): AuthFlowInterface;
  /** Replaces the life cycle of tokens; most extend `TokenService`. */
  tokenService?(parts: TokenServiceParts): TokenServiceInterface;
  /** Guards of the API by the name that `portalApi.guards` chooses; one called `api` or `admin` replaces that. */
  readonly guards?: Readonly<Record<string, (parts: ApiGuardParts) => ApiGuard>>;
  /** Replaces the second layer of authorization. */
  authorizer?(parts: AuthorizerParts): ApiAuthorizer;
  /** Replaces how passwords become hashes. */
  passwordHasher?(): PasswordHasher;
  /** Replaces how mails leave. */
  mailer?(parts: MailerParts): Mailer;
  /** Further endpoints, made with the same declaration as the portal's own. */
  routes?(portal: PortalParts): readonly PortalRoute[];
  /** Further web pages, made with `definePage`; one at the address of the portal's own replaces it. */
  pages?(portal: PortalParts): readonly Page[];
  /** Listens to events: `events.on(…)`, `events.within(…)`. */
  listen?(portal: PortalParts): void;
  /** Gateways by the name that `gateway.driver` chooses; their options live under `gateway.<name>`. */
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

/** Types the configuration of a host project; the value is checked when it is loaded. */
export function defineConfig<const Modules extends readonly PortalModule[] = readonly []>(
  definition: PortalDefinition<Modules>,
): PortalDefinition<Modules> {
  return definition;
}

/**
 * What a factory of the host made.
 * @throws DeclarationError when it lacks a method: a forgotten `return` must not mean the default
 */
export function requireMethods<T extends object>(name: string, made: T, methods: readonly (keyof T & string)[]): T {
  const candidate = made as Partial<T> | null | undefined;
  const missing = methods.filter((method) => typeof candidate?.[method] !== 'function');
  if (missing.length === 0) return made;
  throw new DeclarationError(`${name} of portal.config.ts must return an object with ${missing.join(', ')}.`);
}
