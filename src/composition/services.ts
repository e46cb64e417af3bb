import type { PortalServices } from '../api/index.js';
import type { LimitStore } from '../limits/index.js';
import { createAppServices } from '../domain/apps/index.js';
import type { ConfiguredGateway } from '../gateway/index.js';
import { RequestLimits } from '../domain/auth/index.js';
import { Notifications } from '../domain/notifications/index.js';
import type { JobRunner } from '../jobs/index.js';
import type { Mailer, MailQueue } from '../mail/index.js';
import type { ReadinessProbe, RouteGuards } from '../http/index.js';
import { createAccounts } from './accounts.js';
import { createActivities } from './audit-log.js';
import { createAuth } from './auth.js';
import type { DomainBase } from './base.js';
import { createCatalog } from './catalog.js';
import type { LoginRegistry } from '../extend/modules.js';
import { createGateway } from './gateway.js';
import { createJobs } from './jobs.js';
import { createLimitStore } from './limits.js';
import { accountPages, createMail } from './mail.js';
import { guardsOf } from './pipeline.js';
import { createRbac } from './rbac.js';
import { createSite } from './site.js';

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
 * Every domain in its order: what stands further down may use what stands above.
 * @param login what modules will add to signing in
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
