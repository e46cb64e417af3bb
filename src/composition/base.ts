import type { KeyObject } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RedisConnection } from '../cache/index.js';
import { parseKey, type PortalConfig, type PortalExtensions } from '../config/index.js';
import { Lists, openDatabase, type Database, type Transaction } from '../database/index.js';
import type { PasswordHasher } from '../domain/accounts/index.js';
import type { AccountPages } from '../domain/auth/index.js';
import {
  Background,
  CorrectedClock,
  createLogger,
  deriveKey,
  Encrypter,
  EventBus,
  untraced,
  ProcessMetrics,
  type Clock,
  type Logger,
  type Tracer,
} from '../core/index.js';
import { packageFolder } from '../core/manifest.js';
import { OutboundFetcher } from '../outbound/index.js';
import { openTracer } from '../observability/index.js';
import type { HostExtensions } from './extensions.js';
import type { PortalModule } from './module.js';
import { createHasher } from './replacements.js';
import { Dictionary, say, TemplateFiles, type MessageValues } from '../templates/index.js';

export interface BaseOptions {
  readonly config: PortalConfig;
  /** Code from the host's `portal.config.ts`. */
  readonly extensions?: PortalExtensions;
  /** Folder of the host project; relative paths of the configuration start here. */
  readonly root?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** The shared infrastructure of all domains. */
export interface DomainBase {
  readonly config: PortalConfig;
  readonly extensions: HostExtensions;
  readonly modules: readonly PortalModule[];
  /** Folder of the host project. */
  readonly root: string;
  readonly address: PublicAddress;
  /** Pages of the theme that mails link to. A host without the theme serves these paths or redirects them. */
  readonly pages: AccountPages & { page(path: string): string; consolePage(path: string): string | null };
  /** Folders of templates and messages, in order of precedence: the host's, then the modules', then the package's. */
  readonly folders: readonly [string, ...string[]];
  /** The messages of the portal in a language. */
  sayIn(locale: string): Promise<(key: string, values?: MessageValues) => string>;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  /** `app.key` and its earlier values, newest first. */
  readonly masters: readonly [Buffer, ...Buffer[]];
  /** Keys for one purpose, derived from them. */
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]];
  readonly hasher: PasswordHasher;
  readonly encrypter: Encrypter;
  readonly outbound: OutboundFetcher;
  readonly database: Database;
  /** null if Redis is not used. */
  readonly redis: RedisConnection | null;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly background: Background;
  readonly clock: Clock;
  /** `clock` if it is the machine's; null if another one was passed in. */
  readonly machineClock: CorrectedClock | null;
  readonly logger: Logger;
  readonly processMetrics: ProcessMetrics;
  /** {@link untraced} unless `tracing.enabled`. */
  readonly tracer: Tracer;
}

/** Does not connect: the first statement opens the database. @throws ConfigurationError if tracing lacks its package */
export function createBase({ config, root = process.cwd(), ...options }: BaseOptions): DomainBase {
  const extensions = (options.extensions ?? {}) as HostExtensions;
  const modules = (options.extensions?.modules ?? []) as readonly PortalModule[];
  const tracer = config.tracing.enabled ? openTracer(root) : untraced;
  const own = new CorrectedClock();
  const { clock = own, logger = createPortalLogger(config, tracer) } = options;
  const database = openDatabase(config.database, { logger, root, tracer: findTracer(tracer) });
  const redis = usesRedis(config) ? new RedisConnection({ config: config.redis, logger, tracer }) : null;
  const processMetrics = new ProcessMetrics();
  watchPool(database, processMetrics);
  const address = new PublicAddress(config);
  const { app, theme } = config;
  const folders = templateFolders(resolve(root, theme.viewsDir), modules, root);
  const masters = [parseKey(app.key), ...app.previousKeys.map(parseKey)] as const;
  return {
    ...{ config, extensions, modules, root, clock, logger, processMetrics, tracer, database, redis },
    machineClock: clock === own ? own : null,
    ...{ address, pages: accountPages(address, config) },
    ...{ folders, sayIn: makeSpeaker(folders, config) },
    ...{ defaultLocale: theme.locale, locales: theme.locales },
    ...{ masters, keys: (purpose) => deriveKeys(masters, purpose) },
    hasher: createHasher(extensions),
    encrypter: new Encrypter(masters),
    outbound: new OutboundFetcher(config.outbound),
    lists: new Lists(database, clock),
    events: new EventBus<Transaction>(logger),
    background: new Background(logger),
  };
}

function makeSpeaker(folders: DomainBase['folders'], { app, theme }: PortalConfig): DomainBase['sayIn'] {
  const dictionary = new Dictionary(new TemplateFiles(folders), theme.locale, app.env !== 'development');
  return async (locale) => {
    const messages = await dictionary.messages(locale);
    return (key, values) => say(messages, locale, key, values);
  };
}

/** null without tracing, so that callers can skip their wrappers. */
export function findTracer(tracer: Tracer): Tracer | null {
  return tracer === untraced ? null : tracer;
}

function createPortalLogger({ app }: PortalConfig, tracer: Tracer): Logger {
  return createLogger(app.logLevel, undefined, tracer === untraced ? undefined : () => tracer.present());
}

/** Closes all connections; `base` must not be used afterwards. */
export async function closeBase({ redis, database }: DomainBase): Promise<void> {
  await redis?.close();
  await database.close();
}

// SQLite has one connection and no pool.
function watchPool(database: Database, processMetrics: ProcessMetrics): void {
  if (database.dialect === 'sqlite') return;
  processMetrics.watch('database_connections', () => database.pool().size);
  processMetrics.watch('database_connections_used', () => database.pool().used);
  processMetrics.watch('database_connections_wanted', () => database.pool().wanted);
}

function deriveKeys([newest, ...earlier]: DomainBase['masters'], purpose: string): [KeyObject, ...KeyObject[]] {
  return [deriveKey(newest, purpose), ...earlier.map((master) => deriveKey(master, purpose))];
}

function accountPages(address: PublicAddress, { theme, console: admin }: PortalConfig): DomainBase['pages'] {
  const page = (path: string) => `${address.base()}/${theme.routePrefix}${path}`;
  return {
    page,
    consolePage: (path) => (admin.enabled ? `${address.base()}/${admin.path}${path}` : null),
    signIn: () => page('/login'),
    forgotPassword: () => page('/forgot-password'),
    resetPassword: (token) => page(`/reset-password/${token}`),
    verifyEmail: (token) => page(`/verify-email/${token}`),
    app: (name, team) => page(`${team === null ? '' : `/teams/${team}`}/apps/${encodeURIComponent(name)}`),
  };
}

function templateFolders(published: string, modules: readonly PortalModule[], root: string): [string, ...string[]] {
  const folderOf = (templates: string | URL) => {
    const isAddress = templates instanceof URL || templates.startsWith('file:');
    return isAddress ? fileURLToPath(templates) : resolve(root, templates);
  };
  const ofModules = modules.flatMap(({ templates }) => (templates === undefined ? [] : [folderOf(templates)]));
  return [published, ...ofModules, join(packageFolder(), 'templates')];
}

function usesRedis({ session, limits }: PortalConfig): boolean {
  return session.store === 'redis' || limits.store === 'redis';
}

/** `app.url`, which in development follows the port that was actually bound. */
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

  /** @param port the bound port, if the configured one is 0 */
  follow(port: number): void {
    if (this.config.server.port === 0) this.url = this.url.replace(/:0$/, `:${port}`);
  }
}
