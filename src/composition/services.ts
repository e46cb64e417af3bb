import type { PortalServices } from '../api/index.js';
import {
  AnnouncedClearings,
  DatabaseLimitStore,
  FallbackLimitStore,
  MemoryLimitStore,
  RedisLimitStore,
  ReplicaCount,
  type LimitStore,
} from '../limits/index.js';
import { TableVersions } from '../database/index.js';
import { AdminService, NewPasswords, PwnedPasswords, UserService } from '../domain/accounts/index.js';
import { createAppServices } from '../domain/apps/index.js';
import {
  AudienceService,
  CategoryService,
  DemoSeeder,
  GatewayCatalog,
  PictureStore,
  ProductImport,
  ProductService,
  DocumentIndexes,
  SpecReader,
  UserAudiences,
} from '../domain/catalog/index.js';
import {
  AdminManager,
  PermissionAuthorizer,
  PermissionService,
  RbacService,
  RoleService,
  RouteAuthorizer,
  ShippedNames,
  type GivenRole,
} from '../domain/rbac/index.js';
import { MenuItemService, MenuService, SettingService } from '../domain/site/index.js';
import { requireMethods } from '../extend/extensions.js';
import type { ConfiguredGateway, Gateway } from '../gateway/index.js';
import { RequestLimits } from '../domain/auth/index.js';
import { Notifications } from '../domain/notifications/index.js';
import type { JobRunner } from '../jobs/index.js';
import type { Mailer, MailQueue } from '../mail/index.js';
import type { ReadinessProbe, RouteGuards } from '../http/index.js';
import { createActivities } from './audit-log.js';
import { createAuth } from './auth.js';
import type { DomainBase } from './base.js';
import type { LoginRegistry } from '../extend/modules.js';
import { createGateway } from './gateway.js';
import { createJobs } from './jobs.js';
import { accountPages, createMail } from './mail.js';
import { guardsOf } from './pipeline.js';

interface Composed {
  readonly services: PortalServices;
  readonly guards: RouteGuards;
  readonly gateway: ConfiguredGateway;
  readonly jobs: JobRunner;
  readonly mail: MailQueue;
  readonly mailer: Mailer;
  readonly limits: LimitStore;
}

/**
 * All domains in dependency order: each uses only those above it.
 * @param login what modules will add to the sign-in
 */
export function createServices(base: DomainBase, readiness: ReadinessProbe, login: LoginRegistry): Composed {
  const { config, clock, modules } = base;
  const accounts = createAccounts(base);
  const limits = createLimitStore(base);
  const { outbox, delivery, mailer } = createMail(base, new RequestLimits(limits, config.limits));
  const auth = createAuth(base, { accounts, mail: outbox, limits, login });
  const { rbac, administration, authorizer, routeAuthorizer } = createRbac(base, accounts, login.givenRoles);
  const site = createSite(base, new Set(modules.map(({ name }) => name)));
  const gateway = createGateway(base);
  const catalog = createCatalog(base, accounts, site, gateway.open);
  const { products } = catalog;
  const apps = createAppServices({ ...base, gateway: gateway.open, products, settings: config.apps });
  const pages = accountPages(base);
  new Notifications({
    ...base,
    users: accounts.users,
    mail: outbox,
    pages,
    defaultLocale: config.theme.locale,
  }).listen();
  const activities = createActivities(base, gateway);
  const { prefix: api, adminPrefix } = config.portalApi;
  const paths = { api, admin: `${api}/${adminPrefix}` };
  const services = {
    ...{ clock, readiness, paths },
    ...{ accounts, auth, rbac, administration, authorizer, catalog, apps, site, activities },
  };
  const { recovery } = apps;
  const jobs = createJobs(base, {
    outbox,
    delivery,
    readiness,
    sessions: auth.sessions,
    recovery,
    authorizer: routeAuthorizer,
  });
  return { services, guards: guardsOf(base, auth, routeAuthorizer), gateway, jobs, mail: outbox, mailer, limits };
}

function createAccounts(base: DomainBase): PortalServices['accounts'] {
  const { password, pwnedPasswordsUrl, customAttributes } = base.config.accounts;
  const passwords = new NewPasswords({
    hasher: base.hasher,
    ...password,
    portalName: base.config.app.name,
    leaked: pwnedPasswordsUrl === undefined ? undefined : new PwnedPasswords(pwnedPasswordsUrl, base),
  });
  const parts = { ...base, passwords };
  return {
    users: new UserService({ ...parts, customAttributes, locales: base.config.theme.locales }),
    admins: new AdminService(parts),
    passwords,
  };
}

/** Roles with both layers of admin authorization; the host may replace the second. */
function createRbac(base: DomainBase, accounts: PortalServices['accounts'], given: readonly GivenRole[]) {
  const { config, extensions, clock, modules } = base;
  const further = modules.flatMap(({ permissions = [] }) => permissions);
  const rbac = new RbacService({ ...base, config: config.portalApi, further });
  const authorizer = extensions.authorizer
    ? requireMethods('authorizer', extensions.authorizer({ clock, accounts, rbac }), ['authorize'])
    : new PermissionAuthorizer(rbac, config.portalApi);
  const parts = { ...base, rbac, shipped: new ShippedNames(config.portalApi, further, given) };
  const administration = {
    admins: new AdminManager({ ...parts, admins: accounts.admins }),
    roles: new RoleService(parts),
    permissions: new PermissionService(parts),
  };
  return { rbac, administration, authorizer, routeAuthorizer: new RouteAuthorizer(rbac, authorizer, config.portalApi) };
}

function createSite({ config, ...base }: DomainBase, modules: ReadonlySet<string>): PortalServices['site'] {
  const { app, theme, docs } = config;
  const parts = { ...base, defaultLocale: theme.locale, locales: theme.locales };
  return {
    about: {
      name: app.name,
      defaultLocale: theme.locale,
      locales: theme.locales,
      features: { registration: config.accounts.registration, mfa: modules.has('mfa'), oidc: modules.has('oidc') },
      links: { theme: theme.enabled ? `/${theme.routePrefix}` : null, docs: docs.enabled ? docs.path : null },
    },
    menus: new MenuService(parts),
    menuItems: new MenuItemService(parts),
    settings: new SettingService(parts),
  };
}

function createCatalog(
  base: DomainBase,
  accounts: PortalServices['accounts'],
  site: PortalServices['site'],
  gateway: Gateway,
): PortalServices['catalog'] {
  const { database, config, clock, outbound } = base;
  const { locale: defaultLocale, locales } = config.theme;
  const { maxSpecBytes, maxImageBytes, tryItOrigins } = config.catalog;
  const parts = { ...base, versions: new TableVersions(database), defaultLocale, locales };
  const indexes = new DocumentIndexes(clock);
  const specs = new SpecReader(maxSpecBytes, outbound);
  const products = new ProductService(parts, specs, indexes);
  const categories = new CategoryService(parts);
  const audiences = new AudienceService(parts);
  const { users } = accounts;
  const demo = new DemoSeeder({ users, products, categories, audiences, menus: site.menus, defaultLocale, locales });
  return {
    ...{ products, categories, audiences, demo },
    productImport: new ProductImport({ products, specs, categories, audiences }),
    userAudiences: new UserAudiences(parts),
    pictures: new PictureStore(database, clock),
    gateway: new GatewayCatalog(gateway, database),
    limits: { maxSpecBytes, maxImageBytes },
    ...{ indexes, tryItOrigins },
  };
}

/** The store of all limits, as configured by `limits.store`. */
function createLimitStore({ config, redis, database, logger, processMetrics, ...clocks }: DomainBase): LimitStore {
  const { clock, machineClock } = clocks;
  if (config.limits.store === 'database') return new DatabaseLimitStore({ database, clock, logger });
  const own = new AnnouncedClearings({ store: new MemoryLimitStore(clock), database, clock });
  if (config.limits.store === 'memory' || redis === null) return own;
  const replicas = new ReplicaCount(redis, logger);
  // A portal with a clock of its own counts by that; otherwise all replicas share the clock of Redis (R30).
  const shared = new RedisLimitStore({ link: redis, clock: machineClock ? null : clock });
  return new FallbackLimitStore({ shared, own, replicas: () => replicas.current, clock, logger, processMetrics });
}
