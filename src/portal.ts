import type { RequestListener } from 'node:http';
import {
  apiRoutes,
  gatewayEndpoints,
  unsubscribeEndpoint,
  webhookKeysEndpoint,
  type PortalRoute,
} from './api/index.js';
import { evictionPolicy } from './cache/index.js';
import { closeBase, createBase, findTracer, type BaseOptions, type DomainBase } from './composition/base.js';
import { announceTracing, createMetrics } from './composition/observability.js';
import { createLoginRegistry, createPortalParts, moduleMigrations, register } from './composition/modules.js';
import type { PortalParts } from './composition/portal-parts.js';
import { createPipeline } from './composition/pipeline.js';
import { readinessChecks } from './composition/readiness.js';
import { createServices } from './composition/services.js';
import { createAgentEndpoints, createDocs, createPages, translations } from './composition/surfaces.js';
import type { PortalModule } from './composition/module.js';
import type { PortalConfig } from './config/index.js';
import {
  Migrator,
  reEncryptColumn,
  sampleColumn,
  type Database,
  type NamedMigration,
  type ReEncryptReport,
  type EncryptedColumn,
  type EncryptedSample,
  type Transaction,
} from './database/index.js';
import { ChainKeys, sealMigration } from './domain/audit-log/index.js';
import type { PortalServices } from './domain/services.js';
import type { TranslationReport } from './templates/index.js';
import type { ConfiguredGateway } from './gateway/index.js';
import {
  createApplication,
  ReadinessProbe,
  routePath,
  selectServedRoutes,
  startServer,
  type Pipeline,
  type RunningServer,
} from './http/index.js';
import type { JobRunner } from './jobs/index.js';
import type { MailQueue } from './mail/index.js';
import type { Background, EventBus, Logger } from './core/index.js';

export type { Drift, ImportReport, GatewaySyncReport } from './domain/apps/index.js';
export {
  defineConfig,
  type ApiGuardParts,
  type AuthorizerParts,
  type HostAuthFlowParts,
  type HostExtensions,
  type MailerParts,
  type PortalDefinition,
} from './composition/extensions.js';
export {
  definePortalModule,
  type ModuleContribution,
  type ModuleParts,
  type PortalModule,
  type SettingFault,
  type ModuleCommand,
  type ModuleCommandContext,
} from './composition/module.js';
export type { PortalParts } from './composition/portal-parts.js';
export { Dictionary, say, TemplateFiles, UnreadableMessagesError, type TranslationReport } from './templates/index.js';
export {
  describeSpecChange,
  readRunnable,
  SpecComparer,
  type CallProof,
  type ChangeLevel,
  type Criterion,
  type DemoReport,
  type ImportFault,
  type ImportFile,
  type DocumentNote,
  type ProductPlan,
  type RunnableDocument,
  type RunnableOperation,
  type RunnableStep,
  type RunnableWorkflow,
  type StepAction,
  type SpecChange,
  type SpecDiff,
} from './domain/catalog/index.js';
export type { ImportedLog } from './domain/usage/index.js';
export { judgeWebhook } from './domain/webhooks/index.js';

export interface PortalOptions extends BaseOptions {
  /** Migrations of the host project, in addition to the package's. */
  readonly migrations?: readonly NamedMigration[];
}

/** What `portal doctor` checks of Redis. */
interface RedisDiagnosis {
  /**
   * Redis's eviction policy; null if it does not report one.
   * @throws RedisUnavailableError
   */
  evictionPolicy(): Promise<string | null>;
}

interface MailerDiagnosis {
  /** @throws Error if the server would not accept mails now */
  check(): Promise<void>;
}

/** What `portal lang:check`, `portal make:locale` and `portal doctor` need. */
interface TranslationDiagnosis {
  /** How complete the messages of a locale are, including those of modules and the host. @throws UnreadableWordsError */
  check(locale: string): Promise<TranslationReport>;
  /** Every message that a locale needs, by dotted key, with the text to translate from. @throws UnreadableWordsError */
  translatable(locale: string): Promise<ReadonlyMap<string, string>>;
}

/** A complete portal: its services, and the web application that serves them. */
export interface Portal {
  readonly config: PortalConfig;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly events: EventBus<Transaction>;
  readonly services: PortalServices;
  /** What host and module code works with. */
  readonly parts: PortalParts;
  /** The installed modules. */
  readonly modules: readonly PortalModule[];
  /** The portal's own routes, those of modules and those of the host project. */
  readonly routes: readonly PortalRoute[];
  /** What the command line changes records through; @internal */
  readonly operatorParts: {
    readonly routes: readonly PortalRoute[];
    readonly pipeline: Pipeline<PortalServices>;
    readonly database: Database;
  };
  /** The full path of a route, including its `:name` parameters. */
  readonly pathOf: (route: PortalRoute) => string;
  /** Paths that API gateways call, each including everything below it. */
  readonly gatewayPaths: readonly string[];
  /** Opened on first use. */
  readonly gateway: Pick<ConfiguredGateway, 'open'>;
  /** Null if Redis is not used. */
  readonly redis: RedisDiagnosis | null;
  /** Background jobs; `listen` starts them. Start them yourself when serving `handler` by other means. */
  readonly jobs: Pick<JobRunner, 'start' | 'run'>;
  /** Queues mails in the outbox. */
  readonly mail: MailQueue;
  /** The mailer; null if it cannot be checked. */
  readonly mailer: MailerDiagnosis | null;
  readonly translations: TranslationDiagnosis;
  /** Work that continues after the response to its request. */
  readonly background: Pick<Background, 'flush'>;
  readonly logger: Logger;
  /** Re-encrypts stored values with the newest `app.key`; safe while portals are serving. */
  reEncrypt(): Promise<readonly ReEncryptReport[]>;
  /** Which keys a sample of the encrypted values was written with. Changes nothing. */
  sampleEncrypted(): Promise<readonly EncryptedSample[]>;
  /** For `http.createServer`, or for an Express application that mounts the portal. */
  readonly handler: RequestListener;
  /** Serves on `server.host` and `server.port` until closed. @throws the system error of listening */
  listen(): Promise<RunningServer>;
  /** Frees all resources; call it after the server has closed. */
  close(): Promise<void>;
}

/** The composition root: the only place that builds services. Nothing is contacted before the first request. */
export function createPortal(options: PortalOptions): Portal {
  const base = createBase(options);
  const { config, database, events, clock, logger, address, modules, extensions, redis, encrypter } = base;
  const migrator = createMigrator(base, options.migrations);
  const readiness = new ReadinessProbe(readinessChecks(base, migrator), clock);
  const login = createLoginRegistry();
  const composed = createServices(base, readiness, login);
  const { services, routeAuthorizer, gateway, jobs, mail, mailer } = composed;
  const parts = createPortalParts(base, composed);
  const registered = register(base, parts, login, jobs);
  const allRoutes = [...apiRoutes, ...registered.routes];
  const routes = selectServedRoutes(allRoutes, config.portalApi);
  const gateways = config.verify.enabled ? gatewayEndpoints(verifyParts(base, composed)) : [];
  const metrics = createMetrics(base);
  const pipeline = createPipeline(base, services, routeAuthorizer);
  const { pages, consoles } = createPages(base, services, registered, allRoutes, pipeline);
  const surfaces = [...pages, ...consoles, ...createDocs(base, services, routes)];
  // `GET /` redirects to the pages, or without them to the public part of the API.
  const home = pages[0]?.prefix ?? (config.portalApi.enabled ? `${config.portalApi.prefix}/api-products` : null);
  const handler = createApplication({
    ...{ routes, surfaces, prefixes: config.portalApi, readiness, pipeline },
    endpoints: [...gateways, ...listFurtherEndpoints(base, composed)],
    ...{ logger, onAnswered: metrics.onAnswered, tracer: findTracer(base.tracer) },
    trustProxy: config.app.trustProxy,
    allowedHosts: () => address.hosts(),
    https: () => address.base().startsWith('https:'),
    corsOrigins: config.portalApi.cors.origins,
    ...{ readers: config.http, home },
  });

  extensions.listen?.(parts);
  return {
    ...{ config, database, migrator, events },
    ...{ services, parts, modules, gateway, operatorParts: { routes: allRoutes, pipeline, database } },
    redis: redis && { evictionPolicy: () => evictionPolicy(redis) },
    mailer: mailer.check ? { check: mailer.check.bind(mailer) } : null,
    ...{ jobs, mail, background: base.background, translations: translations(base) },
    gatewayPaths: gateways.flatMap(({ paths }) => paths),
    pathOf: (route) => routePath(route, config.portalApi),
    ...{ routes, logger, handler },
    reEncrypt: () => forEachEncrypted(modules, (column) => reEncryptColumn(database, encrypter, column)),
    sampleEncrypted: () => forEachEncrypted(modules, (column) => sampleColumn(database, encrypter, column)),
    listen: async () => {
      await metrics.start();
      announceTracing(base);
      const server = await startServer(handler, { ...config.server, onDrain: () => readiness.drain() });
      address.follow(server.address.port);
      jobs.start();
      return server;
    },
    close: async () => {
      await base.background.flush();
      await jobs.stop();
      await metrics.stop();
      await registered.stop();
      await mailer.close?.();
      await finishWork(services);
      await gateway.close();
      await closeBase(base);
    },
  };
}

function listFurtherEndpoints(base: DomainBase, { services, limits }: ReturnType<typeof createServices>) {
  const { webhooks, notices } = services;
  const own = [webhookKeysEndpoint(webhooks.signatures), unsubscribeEndpoint(notices, base.pages)];
  return [...own, ...createAgentEndpoints(base, services, limits)];
}

/** Waits for requests to endpoints of webhooks, and writes what services keep in memory for a while. */
async function finishWork({ auth, usage, webhooks }: PortalServices): Promise<void> {
  await webhooks.dispatcher.close();
  await auth.sessions.flush();
  await usage.counter?.close();
  await usage.ending?.close();
}

function createMigrator(
  { config, database, clock, modules, masters }: DomainBase,
  ofHost: readonly NamedMigration[] = [],
) {
  const extra = [sealMigration(new ChainKeys(masters)), ...moduleMigrations(modules), ...ofHost];
  return new Migrator(database, { extra, wait: config.database.migrationWait, clock });
}

/** Every column that is encrypted with a key derived from `app.key`; modules declare their own. */
const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'portal_gateway_keys', key: 'id', column: 'key_sealed' },
  { table: 'portal_gateway_keys', key: 'id', column: 'secret_sealed' },
  { table: 'portal_credentials', key: 'id', column: 'gateway_key_ref' },
  // The secret of a key on its way to another owner, see `TransferJournal`.
  { table: 'portal_gateway_intents', key: 'id', column: 'payload', member: 'kept', where: "kind = 'app.transfer'" },
  { table: 'portal_settings', key: 'id', column: 'value', where: "type = 'secret'" },
  { table: 'portal_mails', key: 'uuid', column: 'payload' },
  { table: 'portal_webhook_endpoints', key: 'uuid', column: 'secret' },
  {
    ...{ table: 'portal_webhook_endpoints', key: 'id', column: 'previous_secret' },
    sealedAs: { row: ['uuid'], column: 'secret' },
  },
  { table: 'portal_idempotency_keys', key: 'id', column: 'answer' },
  { table: 'portal_one_time_values', key: 'id', column: 'sealed' },
  { table: 'portal_idempotency_keys', key: 'id', column: 'made' },
  {
    ...{ table: 'portal_bulk_rows', key: 'id', column: 'payload' },
    sealedAs: { row: ['job_id', 'record_key'], column: 'payload' },
  },
];

async function forEachEncrypted<T>(
  modules: readonly PortalModule[],
  run: (column: EncryptedColumn) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const column of [...ENCRYPTED_COLUMNS, ...modules.flatMap(({ sealed = [] }) => sealed)]) {
    results.push(await run(column));
  }
  return results;
}

function verifyParts({ config, logger }: DomainBase, { gateway, services }: ReturnType<typeof createServices>) {
  const { path, secret } = config.verify;
  const verifier = async () => (await gateway.open()).verifier ?? null;
  const { counter, intake, limiter, keyless, ending } = services.usage;
  const count = counter && counter.record.bind(counter);
  const limit = limiter.decide.bind(limiter);
  const admit = keyless.admit.bind(keyless);
  return {
    path,
    secret,
    behindProxy: config.app.trustProxy > 0,
    verifier,
    limit,
    keyless: admit,
    lifecycles: services.catalog.lifecycles,
    countEnding: ending && ending.record.bind(ending),
    count,
    intake,
    logger,
  };
}
