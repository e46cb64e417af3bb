import type { RequestListener } from 'node:http';
import { apiRoutes, gatewayEndpoints, type PortalRoute, type PortalServices } from './api/index.js';
import { MemoryLimitStore } from './cache/index.js';
import { parseKey, type PortalConfig, type PortalExtensions } from './config/index.js';
import {
  Lists,
  Migrator,
  openDatabase,
  TableVersions,
  type Database,
  type NamedMigration,
  type Transaction,
} from './database/index.js';
import {
  AdminService,
  Argon2Hasher,
  NewPasswords,
  PwnedPasswords,
  UserService,
  type PasswordHasher,
} from './domain/accounts/index.js';
import { createAppServices } from './domain/apps/index.js';
import {
  AccessTokens,
  AccountDirectory,
  AccountSecurity,
  AttemptLimits,
  AuthFlow,
  endSessionsOnChange,
  Guard,
  JwtKeys,
  RefreshTokenCodec,
  RegistrationService,
  RequestLimits,
  SessionService,
  TokenService,
  unlockOnNewPassword,
  type AuthFlowInterface,
  type TokenServiceInterface,
} from './domain/auth/index.js';
import {
  AudienceService,
  CategoryService,
  DemoSeeder,
  ProductService,
  SpecReader,
  UserAudiences,
} from './domain/catalog/index.js';
import { PermissionAuthorizer, RbacService, RouteAuthorizer, type ApiAuthorizer } from './domain/rbac/index.js';
import { MenuService, PublicSettings } from './domain/site/index.js';
import { configureGateway, type ConfiguredGateway, type GatewayFactory } from './gateway/index.js';
import {
  createApplication,
  ReadinessProbe,
  routePath,
  startServer,
  type ReadinessCheck,
  type RouteGuards,
  type RunningServer,
} from './http/index.js';
import {
  createLogger,
  DeclarationError,
  Encrypter,
  EventBus,
  systemClock,
  type Clock,
  type Logger,
} from './kernel/index.js';

export type { DemoReport } from './domain/catalog/index.js';

export interface PortalOptions {
  readonly config: PortalConfig;
  /** Code of the host project, from `portal.config.ts`. */
  readonly extensions?: PortalExtensions;
  /** Folder of the host project; relative files of the configuration belong to it. */
  readonly root?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Migrations of the host project, beside the package's. */
  readonly migrations?: readonly NamedMigration[];
}

/** What `routes` of `portal.config.ts` is given. */
export interface PortalParts {
  readonly config: PortalConfig;
  readonly services: PortalServices;
  readonly events: EventBus<Transaction>;
}

/** A portal put together: its services, and the web application that serves them. */
export interface Portal {
  readonly config: PortalConfig;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly events: EventBus<Transaction>;
  readonly services: PortalServices;
  /** The portal's own and those of the host project. */
  readonly routes: readonly PortalRoute[];
  /** The full path of a route, its `:name` parameters included. */
  readonly pathOf: (route: PortalRoute) => string;
  /** Addresses at which API gateways ask, each with everything below it. */
  readonly gatewayPaths: readonly string[];
  /** Opened with the first use. */
  readonly gateway: Pick<ConfiguredGateway, 'open'>;
  readonly logger: Logger;
  /** For `http.createServer`, or for an Express application that mounts the portal. */
  readonly handler: RequestListener;
  /** Serves on `server.host` and `server.port` until closed. @throws the system error of listening */
  listen(): Promise<RunningServer>;
  /** Frees what the portal holds; call it after the server has closed. */
  close(): Promise<void>;
}

/** The composition root: the only place that builds services. Nothing is contacted before the first request. */
export function createPortal(options: PortalOptions): Portal {
  const { config, extensions = {}, root = process.cwd(), clock = systemClock } = options;
  const logger = options.logger ?? createLogger(config.app.logLevel);
  const database = openDatabase(config.database, { logger, root });
  const migrator = new Migrator(database, {
    extra: options.migrations ?? [],
    wait: config.database.migrationWait,
    clock,
  });
  const events = new EventBus<Transaction>(logger);

  const readiness = new ReadinessProbe([databaseAnswers(database), migrationsAreDone(migrator)], clock);
  const hasher = (extensions.passwordHasher?.({} as never) as PasswordHasher | undefined) ?? new Argon2Hasher();
  const encrypter = new Encrypter([parseKey(config.app.key), ...config.app.previousKeys.map(parseKey)]);
  const base: DomainBase = {
    ...{ config, extensions, database, lists: new Lists(database, clock), events, clock, logger, hasher, encrypter },
    address: new PublicAddress(config),
  };
  const accounts = createAccounts(base);
  const auth = createAuth(base, accounts);
  const rbac = new RbacService({ database, events, clock, config: config.portalApi });
  const authorizer =
    (extensions.authorizer?.({ clock, accounts, rbac } as never) as ApiAuthorizer | undefined) ??
    new PermissionAuthorizer(rbac, config.portalApi);
  const routeAuthorizer = new RouteAuthorizer(rbac, authorizer, config.portalApi);
  const site = createSite(base, new Set(extensions.modules?.map(({ name }) => name)));
  const catalog = createCatalog(base, accounts, site);
  const gateway = createGateway(base);
  const settings = config.apps;
  const apps = createAppServices({ ...base, gateway: gateway.open, products: catalog.products, settings });
  const paths = { api: config.portalApi.prefix };
  const services: PortalServices = { clock, readiness, accounts, auth, rbac, authorizer, catalog, apps, site, paths };
  const { address } = base;
  const routes = [...apiRoutes, ...hostRoutes(extensions, { config, services, events })];
  const endpoints = config.verify.enabled ? gatewayEndpoints(verifyParts(base, gateway)) : [];
  const handler = createApplication({
    routes,
    endpoints,
    prefixes: config.portalApi,
    pipeline: { services, guards: guardsOf(auth, routeAuthorizer), settings: pipelineSettings(config, address) },
    logger,
    trustProxy: config.app.trustProxy,
    allowedHosts: () => address.hosts(),
    https: () => address.base().startsWith('https:'),
    corsOrigins: config.portalApi.cors.origins,
    home: `${config.portalApi.prefix}/api-products`,
  });

  return {
    config,
    database,
    migrator,
    events,
    services,
    gateway,
    gatewayPaths: endpoints.flatMap(({ paths: own }) => own),
    routes,
    pathOf: (route) => routePath(route, config.portalApi),
    logger,
    handler,
    listen: async () => {
      const server = await startServer(handler, config.server.host, config.server.port, () => readiness.drain());
      address.follow(server.address.port);
      return server;
    },
    close: async () => {
      await auth.sessions.flush();
      await gateway.close();
      await database.close();
    },
  };
}

function hostRoutes({ routes }: PortalExtensions, parts: PortalParts): readonly PortalRoute[] {
  const declared = (routes?.(parts as never) ?? []) as readonly PortalRoute[];
  if (Array.isArray(declared) && declared.every((route) => typeof route?.handle === 'function')) return declared;
  throw new DeclarationError('routes of portal.config.ts must return an array of what defineRoute returns.');
}

/** What every domain is built from. */
interface DomainBase {
  readonly config: PortalConfig;
  readonly extensions: PortalExtensions;
  readonly address: PublicAddress;
  readonly hasher: PasswordHasher;
  readonly encrypter: Encrypter;
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly logger: Logger;
}

function createAccounts(base: DomainBase): PortalServices['accounts'] {
  const { password, pwnedPasswordsUrl, customAttributes } = base.config.accounts;
  const passwords = new NewPasswords({
    hasher: base.hasher,
    ...password,
    portalName: base.config.app.name,
    leaked: pwnedPasswordsUrl === undefined ? undefined : new PwnedPasswords(pwnedPasswordsUrl, base.logger),
  });
  const parts = { ...base, passwords };
  return { users: new UserService({ ...parts, customAttributes }), admins: new AdminService(parts) };
}

function createAuth(base: DomainBase, accounts: PortalServices['accounts']): PortalServices['auth'] {
  const { config, extensions, events, clock, address } = base;
  const { portalApi, app } = config;
  const directory = new AccountDirectory(accounts.users, accounts.admins);
  const store = new MemoryLimitStore(clock);
  const limits = new AttemptLimits(store, config.limits);
  const requestLimits = new RequestLimits(store, config.limits);
  const sessions = new SessionService(base);
  const issuer = () => address.base();
  const tokenParts = {
    ...{ ...base, sessions, limits: requestLimits, lifetimes: portalApi },
    accessTokens: new AccessTokens({ clock, keys: new JwtKeys(portalApi), issuer, ttl: portalApi.accessTtl }),
    refreshTokens: new RefreshTokenCodec([parseKey(app.key), ...app.previousKeys.map(parseKey)]),
  };
  const tokens =
    (extensions.tokenService?.(tokenParts as never) as TokenServiceInterface | undefined) ??
    new TokenService(tokenParts);
  const flowParts = { ...base, directory, limits, tokens, verifyEmail: config.accounts.verifyEmail, steps: [] };
  const flow = (extensions.authFlow?.(flowParts as never) as AuthFlowInterface | undefined) ?? new AuthFlow(flowParts);
  endSessionsOnChange(events, sessions);
  unlockOnNewPassword(events, directory, limits);
  return {
    ...{ flow, tokens, sessions, attempts: limits },
    guard: new Guard({ tokens, sessions, limits: requestLimits, clock }),
    registration: new RegistrationService({ users: accounts.users, directory, limits, settings: config.accounts }),
    security: new AccountSecurity({ ...base, directory, limits, sessions }),
  };
}

function guardsOf({ guard }: PortalServices['auth'], authorizer: RouteAuthorizer): RouteGuards {
  return {
    authenticate: (context, token, request) => guard.authenticate(context, token, request),
    authorize: (actor, route) => authorizer.authorize(actor, route),
    throttle: (limit, request) => guard.throttle(limit, request),
  };
}

function createCatalog(
  base: DomainBase,
  accounts: PortalServices['accounts'],
  site: PortalServices['site'],
): PortalServices['catalog'] {
  const { database, config } = base;
  const defaultLocale = config.theme.locale;
  const parts = { ...base, versions: new TableVersions(database), defaultLocale };
  const products = new ProductService(parts, new SpecReader(config.catalog.maxSpecBytes));
  const categories = new CategoryService(parts);
  const audiences = new AudienceService(parts);
  const { users } = accounts;
  const demo = new DemoSeeder({ users, products, categories, audiences, menus: site.menus, defaultLocale });
  return { products, categories, audiences, demo, userAudiences: new UserAudiences(database) };
}

function createGateway(base: DomainBase): ConfiguredGateway {
  const own = base.extensions.gatewayDrivers as Readonly<Record<string, GatewayFactory>> | undefined;
  return configureGateway(base.config.gateway.driver, base, own);
}

function verifyParts({ config, logger }: DomainBase, gateway: ConfiguredGateway) {
  const { path, secret } = config.verify;
  const verifier = async () => (await gateway.open()).verifier ?? null;
  return { path, secret, behindProxy: config.app.trustProxy > 0, verifier, logger };
}

function createSite({ config, ...base }: DomainBase, modules: ReadonlySet<string>): PortalServices['site'] {
  const { app, theme, docs } = config;
  return {
    about: {
      name: app.name,
      defaultLocale: theme.locale,
      locales: theme.locales,
      features: { registration: config.accounts.registration, mfa: modules.has('mfa'), oidc: modules.has('oidc') },
      links: { theme: theme.enabled ? `/${theme.routePrefix}` : null, docs: docs.enabled ? docs.path : null },
    },
    menus: new MenuService({ ...base, defaultLocale: theme.locale }),
    settings: new PublicSettings(base.database),
  };
}

function pipelineSettings(config: PortalConfig, address: PublicAddress) {
  return {
    baseUrl: () => address.base(),
    bodyLimit: config.http.bodyLimit,
    locales: config.theme.locales,
    defaultLocale: config.theme.locale,
    ...config.portalApi.pagination,
  };
}

function databaseAnswers(database: Database): ReadinessCheck {
  return { name: 'database', check: async () => void (await database.select('SELECT 1')) };
}

// Once done they stay done for this process; only a new release brings new ones.
function migrationsAreDone(migrator: Migrator): ReadinessCheck {
  let done = false;
  return {
    name: 'migrations',
    check: async () => {
      done ||= (await migrator.pending()).length === 0;
      if (!done) throw new Error('migrations are pending');
    },
  };
}

/** `app.url`, which in development follows the port that was really bound. */
class PublicAddress {
  private url: string;

  constructor(private readonly config: PortalConfig) {
    this.url = config.app.url;
  }

  base(): string {
    return this.url;
  }

  hosts(): readonly string[] {
    return this.config.app.allowedHosts;
  }

  /** @param port the one that was bound when the configuration asked for any (0) */
  follow(port: number): void {
    if (this.config.server.port === 0) this.url = this.url.replace(/:0$/, `:${port}`);
  }
}
