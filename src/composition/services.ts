import { configureGateway, prefixesOf, type ConfiguredGateway, type GatewayFactory } from '../gateway/index.js';
import {
  AnnouncedClearings,
  DatabaseLimitStore,
  FallbackLimitStore,
  MemoryLimitStore,
  RedisLimitStore,
  ReplicaCount,
  type LimitStore,
} from '../limits/index.js';
import { createAccountServices, type AccountServices, type UserService } from '../domain/accounts/index.js';
import { createAppServices, type AppServices } from '../domain/apps/index.js';
import { createActivityServices } from '../domain/audit-log/index.js';
import { createAuthServices, RequestLimits } from '../domain/auth/index.js';
import { createCatalogServices, PictureStore, type CatalogServices } from '../domain/catalog/index.js';
import { createContentServices } from '../domain/content/index.js';
import {
  ChangeDigests,
  ChangeMails,
  ChangeNotices,
  findFollowers,
  Notifications,
  OutboxView,
  OwnNotices,
  ProductVisits,
  TeamMails,
} from '../domain/notifications/index.js';
import { createConsoleServices } from '../domain/console/index.js';
import { createRbacServices, type RouteAuthorizer } from '../domain/rbac/index.js';
import type { PortalServices } from '../domain/services.js';
import { createSearchServices } from '../domain/search/index.js';
import { createSiteServices, type AboutPortal } from '../domain/site/index.js';
import {
  createTeamServices,
  endOffers,
  guardLastOwners,
  listenToAccounts,
  tellGatewayOfMembers,
  type TeamServices,
} from '../domain/teams/index.js';
import { createUsageServices, type UsageServices } from '../domain/usage/index.js';
import { createWebhookServices, type WebhookSights } from '../domain/webhooks/index.js';
import type { LoginRegistry } from './modules.js';
import { authBuilders, createAuthorizer, createPortalMailer } from './replacements.js';
import type { JobRunner } from '../jobs/index.js';
import { MailOutbox, MailTemplates, OutboxDelivery, type Mailer, type MailQueue } from '../mail/index.js';
import type { ReadinessProbe } from '../http/index.js';
import { shippedDriver, shippedDriverNames } from '../shipped-drivers.js';
import type { DomainBase } from './base.js';
import { formatDate } from '../templates/index.js';
import { createJobs } from './jobs.js';

interface Composed {
  readonly services: PortalServices;
  readonly routeAuthorizer: RouteAuthorizer;
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
  const { config, clock, database, modules } = base;
  const accounts = createAccountServices(base);
  const { users, admins } = accounts;
  const limits = createLimitStore(base);
  const requestLimits = new RequestLimits(limits, config.limits);
  const mailer = createPortalMailer(base);
  const mail = new MailOutbox(base);
  const replaceable = { ...base, accounts, mail };
  const serviceTokens = () => rbac.administration.serviceTokens;
  const signingIn = { ...replaceable, limitStore: limits, requestLimits, login, serviceTokens };
  const auth = createAuthServices(signingIn, authBuilders(replaceable));
  const { routeAuthorizer, ...rbac } = createRbacServices({
    ...{ ...base, admins, given: login.givenRoles },
    further: modules.flatMap(({ permissions = [] }) => permissions),
    authorizer: (service) => createAuthorizer(replaceable, service),
  });
  const site = createSiteServices({ ...base, pictures: new PictureStore(database, clock) }, describePortal(base));
  const gateway = createGateway(base);
  const catalog = createCatalogServices({ ...base, users, menus: site.menus, gateway: gateway.open });
  const { products } = catalog;
  const content = createContentServices({ ...base, products, requestLimits });
  const search = createSearchServices({ ...base, catalog, guides: content.guides, settings: config.search });
  const teams = createTeams(base, accounts.teamAccounts, mail, requestLimits);
  const apps = createAppServices({
    ...{ ...base, gateway: gateway.open, products },
    ...{ plans: catalog.offers, ownerLimits: teams.teams, teamDrafts: teams.teams, teamPeople: teams.recipients },
    settings: config.apps,
    ...{ verifyEmail: config.accounts.verifyEmail, tryIt: config.catalog.tryItProxy, limitStore: limits },
  });
  tellGatewayOfMembers(base, teams, apps.introductions);
  endOffers(base, teams, apps.transfers);
  const usage = createUsage(base, gateway, apps);
  const { recipients } = teams;
  const webhooksOf: WebhookSights['knownTo'] = (...of) => webhooks.sights.knownTo(...of);
  const sources = { users, mail, catalog, usage, teams, webhooksOf };
  const { changeNotices, changeDigests, ...told } = createNotifications(base, sources);
  const mails = new OutboxView({ ...base, mail });
  mails.listen();
  // Before the activity log, which locks the end of its chain at the end of a transaction.
  const webhooks = createWebhooks(base, { admins, mail, catalog, teams });
  const activities = createActivityServices({
    ...{ ...base, gateway: gateway.open, driver: config.gateway.driver },
    waiting: apps.waiting,
  });
  const bulk = createConsoleServices({ ...base, users, mail, rbac: rbac.rbac, authorizer: routeAuthorizer });
  const delivery = createDelivery(base, mailer, requestLimits);
  const jobs = createJobs(base, {
    ...{ outbox: mail, delivery, readiness, sessions: auth.sessions, bulk, activities, webhooks, content, search },
    ...{ deprecations: catalog.deprecations, changeNotices, changeDigests },
    ...{ recovery: apps.recovery, plans: apps, usage, authorizer: routeAuthorizer, recipients },
  });
  const { prefix: api, adminPrefix } = config.portalApi;
  const paths = { api, admin: `${api}/${adminPrefix}` };
  const services = {
    ...{ clock, readiness, paths, accounts, auth, ...rbac },
    ...{ catalog, content, apps, teams, usage, site, activities },
    ...{ console: bulk, mails, ...told, webhooks, search, jobs },
  };
  return { services, routeAuthorizer, gateway, jobs, mail, mailer, limits };
}

function describePortal({ config, modules, defaultLocale, locales, address }: DomainBase): AboutPortal {
  const { app, theme, docs, accounts, agents } = config;
  const has = (module: string) => modules.some(({ name }) => name === module);
  return {
    ...{ name: app.name, defaultLocale, locales },
    look: { preset: theme.preset, colour: theme.brandColor ?? null },
    baseUrl: () => address.base(),
    features: { registration: accounts.registration, mfa: has('mfa'), oidc: has('oidc') },
    links: { theme: theme.enabled ? `/${theme.routePrefix}` : null, docs: docs.enabled ? docs.path : null },
    agents: agents.enabled ? { ...agents, mcp: agents.mcp && theme.enabled ? agents.mcpPath : null } : null,
  };
}

interface NotificationSources {
  readonly users: UserService;
  readonly mail: MailQueue;
  readonly catalog: CatalogServices;
  readonly usage: UsageServices;
  readonly teams: TeamServices;
  readonly webhooksOf: WebhookSights['knownTo'];
}

/** Notifications about accounts and keys, and about changes that affect their readers. */
function createNotifications(
  base: DomainBase,
  { users, mail, catalog: { changelog }, usage, teams, webhooksOf }: NotificationSources,
) {
  const { recipients, sights, members } = teams;
  const dates = { formatDate: (date: Date, locale: string) => formatDate(date, locale, 'date') };
  new Notifications({ ...{ ...base, users, mail, recipients, config: base.config.notices }, ...dates }).listen();
  new TeamMails({ ...base, mail, recipients, sights, members, webhooksOf, page: base.pages.page }).listen();
  const changeMails = new ChangeMails(base);
  const own = { changelog, recipients, changeMails, teams: teams.teams, keys: base.keys('unsubscribe') };
  const notices = new OwnNotices({ ...base, ...own });
  const unsubscribe = (user: number, product: number | null) =>
    `${base.address.base()}/unsubscribe/${notices.tokenOf(user, product)}`;
  const told = { ...base, ...dates, mail, recipients, changeMails, unsubscribe };
  const changeNotices = new ChangeNotices({ ...told, changelog, callers: usage.callers });
  changeNotices.listen();
  const changeDigests = new ChangeDigests({ ...told, notices });
  return { notices, changeMails, changeNotices, changeDigests, visits: new ProductVisits({ ...base, changelog }) };
}

interface Hooked {
  readonly admins: AccountServices['admins'];
  readonly mail: MailQueue;
  readonly catalog: CatalogServices;
  readonly teams: TeamServices;
}

function createWebhooks(base: DomainBase, { admins, mail, catalog, teams }: Hooked) {
  return createWebhookServices({
    ...{ ...base, admins, mail, audiences: catalog.userAudiences },
    keepers: async (owner, transaction) =>
      (await teams.recipients.of(owner, 'webhooks', transaction)).map(({ user }) => user),
    teamOf: (account, transaction) => teams.teams.findByAccount(account, transaction),
    api: () => `${base.address.base()}${base.config.portalApi.prefix}`,
    followers: (about, transaction) => findFollowers(base.database, about, base.clock.now(), transaction),
  });
}

function createDelivery(base: DomainBase, mailer: Mailer, limits: RequestLimits): OutboxDelivery {
  const { config, address, folders, defaultLocale } = base;
  const templates = new MailTemplates({
    ...{ folders, defaultLocale },
    portalName: config.app.name,
    portalUrl: () => address.base(),
    keep: config.app.env !== 'development',
  });
  return new OutboxDelivery({
    ...{ ...base, mailer, templates, from: config.mail.from },
    mayReach: (to) => limits.mayReach(to),
  });
}

/** Before the apps, which close keys at the gateway when an account is disabled or deleted. */
function createTeams(base: DomainBase, accounts: UserService, mail: MailQueue, limits: RequestLimits): TeamServices {
  const { address, pages, config } = base;
  const teams = createTeamServices({
    ...{ ...base, accounts, mail, limits, config: config.teams },
    host: () => new URL(address.base()).hostname,
    page: pages.page,
  });
  guardLastOwners(base, teams);
  listenToAccounts(base);
  return teams;
}

function createUsage(base: DomainBase, gateway: ConfiguredGateway, { quotaResets }: AppServices): UsageServices {
  const { config, machineClock, redis } = base;
  return createUsageServices({
    ...{ ...base, settings: config.usage, isMachineClock: machineClock !== null, quotaResets },
    redis: config.limits.store === 'redis' ? redis : null,
    prefixes: prefixesOf(config.verify),
    ...{ gateway: gateway.open, driver: config.gateway.driver },
  });
}

function createGateway(base: DomainBase): ConfiguredGateway {
  const { config, extensions } = base;
  const context = { ...base, keys: config.keys };
  return configureGateway(config.gateway.driver, context, extensions.gatewayDrivers, shippedFactories(base));
}

/**
 * The drivers that ship, with their settings.
 * @internal
 */
export function shippedFactories({ config, root }: Pick<DomainBase, 'config' | 'root'>) {
  const settings: Readonly<Record<string, unknown>> = config.gateway;
  const factoryOf = (name: string): GatewayFactory => {
    return async (context) => (await shippedDriver(name)).open(settings[name] as never, context, root);
  };
  return Object.fromEntries(shippedDriverNames.map((name) => [name, factoryOf(name)]));
}

/** The store of all limits, as configured by `limits.store`. */
function createLimitStore({ config, redis, database, logger, processMetrics, ...clocks }: DomainBase): LimitStore {
  const { clock, machineClock } = clocks;
  if (config.limits.store === 'database') return new DatabaseLimitStore({ database, clock, logger });
  const own = new AnnouncedClearings({ store: new MemoryLimitStore(clock), database, clock });
  if (config.limits.store === 'memory' || redis === null) return own;
  const replicas = new ReplicaCount(redis, logger);
  // A portal with a clock of its own counts by that; otherwise all replicas share the clock of Redis (R30).
  const shared = new RedisLimitStore({ connection: redis, clock: machineClock ? null : clock });
  return new FallbackLimitStore({ shared, own, replicas: () => replicas.current, clock, logger, processMetrics });
}
