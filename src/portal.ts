import type { RequestListener } from 'node:http';
import { apiRoutes, gatewayEndpoints, type PortalRoute, type PortalServices } from './api/index.js';
import { createBase, type BaseOptions } from './composition/base.js';
import { createDocs } from './composition/docs.js';
import { verifyParts } from './composition/gateway.js';
import { createRepetitions, pipelineSettings } from './composition/pipeline.js';
import { databaseAnswers, migrationsAreDone } from './composition/readiness.js';
import { createServices } from './composition/services.js';
import { createTheme } from './composition/theme.js';
import type { PortalConfig, PortalExtensions } from './config/index.js';
import { Migrator, type Database, type NamedMigration, type Transaction } from './database/index.js';
import type { ConfiguredGateway } from './gateway/index.js';
import { createApplication, ReadinessProbe, routePath, startServer, type RunningServer } from './http/index.js';
import type { JobRunner } from './jobs/index.js';
import type { MailQueue } from './mail/index.js';
import { DeclarationError, type Background, type EventBus, type Logger } from './kernel/index.js';

export type { DemoReport } from './domain/catalog/index.js';

export interface PortalOptions extends BaseOptions {
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
  /** Work outside of requests; `listen` starts it. Who serves `handler` by other means starts it too. */
  readonly jobs: Pick<JobRunner, 'start' | 'run'>;
  /** Takes mails into the outbox. */
  readonly mail: MailQueue;
  /** What runs after its request was answered. */
  readonly background: Pick<Background, 'flush'>;
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
  const base = createBase(options);
  const { config, database, events, clock, logger, address } = base;
  const migrator = new Migrator(database, {
    extra: options.migrations ?? [],
    wait: config.database.migrationWait,
    clock,
  });
  const readiness = new ReadinessProbe([databaseAnswers(database), migrationsAreDone(migrator)], clock);
  const { services, guards, gateway, jobs, mail, mailer } = createServices(base, readiness);
  const routes = [...apiRoutes, ...hostRoutes(base.extensions, { config, services, events })];
  const endpoints = config.verify.enabled ? gatewayEndpoints(verifyParts(base, gateway)) : [];
  const pages = createTheme(base, services);
  const [home = { prefix: `${config.portalApi.prefix}/api-products` }] = pages;
  const handler = createApplication({
    routes,
    surfaces: [...pages, ...createDocs(base, services, routes)],
    endpoints,
    prefixes: config.portalApi,
    readiness,
    pipeline: { services, guards, repetitions: createRepetitions(base), settings: pipelineSettings(base) },
    logger,
    trustProxy: config.app.trustProxy,
    allowedHosts: () => address.hosts(),
    https: () => address.base().startsWith('https:'),
    corsOrigins: config.portalApi.cors.origins,
    home: home.prefix,
  });

  return {
    config,
    database,
    migrator,
    events,
    services,
    gateway,
    ...{ jobs, mail },
    background: base.background,
    gatewayPaths: endpoints.flatMap(({ paths }) => paths),
    routes,
    pathOf: (route) => routePath(route, config.portalApi),
    logger,
    handler,
    listen: async () => {
      const server = await startServer(handler, config.server.host, config.server.port, () => readiness.drain());
      address.follow(server.address.port);
      jobs.start();
      return server;
    },
    close: async () => {
      await base.background.flush();
      await jobs.stop();
      await mailer.close?.();
      await services.auth.sessions.flush();
      await gateway.close();
      await database.close();
    },
  };
}

function isRoute(value: unknown): value is PortalRoute {
  return typeof (value as Partial<PortalRoute> | null | undefined)?.handle === 'function';
}

function hostRoutes({ routes }: PortalExtensions, parts: PortalParts): readonly PortalRoute[] {
  const declared: unknown = routes?.(parts as never) ?? [];
  if (Array.isArray(declared) && declared.every(isRoute)) return declared;
  throw new DeclarationError('routes of portal.config.ts must return an array of what defineRoute returns.');
}
