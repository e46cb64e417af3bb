import { createHash, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { mcpEndpoint } from '../agents/index.js';
import type { PortalRoute } from '../api/index.js';
import {
  DatabaseWebSessions,
  MemoryWebSessions,
  OneTimeValues,
  sessionClient,
  warnOfEviction,
} from '../cache/index.js';
import type { PortalConfig } from '../config/index.js';
import {
  adminResources,
  ConsoleLayout,
  consolePages,
  ResourceRegistry,
  WaitingCount,
  withAdditions,
} from '../console/index.js';
import { AddressList, ForbiddenError } from '../core/index.js';
import type { AuthContext } from '../domain/auth/index.js';
import type { PortalServices } from '../domain/services.js';
import type { Registered } from './modules.js';
import { Operations, type Endpoint, type Pipeline } from '../http/index.js';
import type { LimitStore } from '../limits/index.js';
import {
  buildDocument,
  documentAsJson,
  documentAsYaml,
  postmanAsJson,
  type OpenApiDocument,
} from '../openapi/index.js';
import {
  checkTranslation,
  Dictionary,
  TemplateFiles,
  readTranslatable,
  type MessageValues,
} from '../templates/index.js';
import {
  CsrfGuard,
  DocsSurface,
  isAgentPage,
  LayoutData,
  preferencePages,
  RedisSessionStore,
  ROOT_PATHS,
  RowSessionStore,
  SessionTimes,
  signInPages,
  Theme,
  themePages,
  AdminViews,
  WebSessions,
  readEndings,
  readOperationMarks,
  messagesBelow,
  type ApiDocuments,
  type DescribedApi,
  type DocsContext,
  type DocsFile,
  type ThemeParts,
} from '../theme/index.js';
import type { DomainBase } from './base.js';
import { connectFiles } from './pipeline.js';

/**
 * The web theme and the admin console, as far as they are enabled; what works through operations is connected to them.
 * @param routes declared ones, whether the API serves them or not
 */
export function createPages(
  base: DomainBase,
  services: PortalServices,
  registered: Registered,
  routes: readonly PortalRoute[],
  pipeline: Pipeline<PortalServices>,
): { readonly pages: readonly Theme[]; readonly consoles: readonly Theme[] } {
  connectFiles(services, { routes, pipeline, database: base.database });
  // Views of the theme by admins rest on their sign-in at the console, so both surfaces know its sessions.
  const ofConsole = { context: 'admin', cookie: CONSOLE_COOKIE, userKey: 'console.admin_id' } as const;
  const sessions = createSessions(base, ofConsole);
  return {
    pages: createTheme(base, services, registered, sessions),
    consoles: createConsole(base, services, routes, pipeline, registered.console, sessions),
  };
}

function createTheme(
  base: DomainBase,
  services: PortalServices,
  registered: Registered,
  consoleSessions: WebSessions,
): Theme[] {
  const { theme, console: admin } = base.config;
  if (!theme.enabled) return [];
  const prefix = `/${theme.routePrefix}`;
  const { about, menus } = services.site;
  return [
    createPageSurface(base, services, {
      ...{ context: 'consumer', home: '/dashboard', prefix, cookie: 'portal' },
      sessions: createSessions(base, { context: 'consumer', cookie: 'portal', userKey: theme.sessionKey }),
      viewer: admin.enabled ? createViewer(base, services, consoleSessions) : null,
      unlisted: admin.enabled ? [`/${admin.path}`] : [],
      layout: new LayoutData({
        about,
        menus,
        guides: services.content.guides,
        banners: services.content.banners,
        hasSearch: services.search.finder.isEnabled,
        prefix,
        links: registered.links,
        clock: base.clock,
      }),
      pages: registered.addPages(about.agents === null ? themePages.filter((page) => !isAgentPage(page)) : themePages),
      rootPages: ROOT_PATHS,
    }),
  ];
}

/** Views of the theme's pages by admins, who are signed in to the console in the same browser. */
function createViewer({ config }: DomainBase, services: PortalServices, sessions: WebSessions): AdminViews {
  const mayEnter = consoleEntrance(config);
  return new AdminViews({
    ...{ services, sessions, prefix: `/${config.console.path}` },
    isAllowed: ({ info: { ip } }) => mayEnter(ip),
  });
}

/** Whether a client at an address may see the console at all. */
function consoleEntrance({ console: { allowedIps } }: PortalConfig): (ip: string) => boolean {
  const allowed = new AddressList(allowedIps);
  return (ip) => allowed.entries.length === 0 || allowed.includes(ip);
}

function createConsole(
  base: DomainBase,
  services: PortalServices,
  routes: readonly PortalRoute[],
  pipeline: Pipeline<PortalServices>,
  additions: Registered['console'],
  sessions: WebSessions,
): Theme[] {
  const { console: config } = base.config;
  if (!config.enabled) return [];
  const operations = new Operations(routes, pipeline);
  const registry = new ResourceRegistry(withAdditions(adminResources, additions.resources), operations);
  services.console.operations.connect(operations, (resource, action) => registry.findBulkAction(resource, action));
  const translated = base.locales.filter((locale) => locale !== base.defaultLocale);
  const waiting = new WaitingCount(operations, base.clock);
  const say = async (key: string, locale: string, values?: MessageValues) => (await base.sayIn(locale))(key, values);
  const context = { operations, registry, translated, waiting, say };
  const prefix = `/${config.path}`;
  const mayEnter = consoleEntrance(base.config);
  return [
    createPageSurface(base, services, {
      ...{ context: 'admin', home: '/', prefix, cookie: CONSOLE_COOKIE, sessions, viewer: null },
      unlisted: [prefix],
      layout: new ConsoleLayout({
        ...{ about: services.site.about, views: services.console.views, config, context, prefix },
        links: additions.links,
      }),
      rootPages: [],
      pages: [
        ...consolePages(context),
        ...signInPages({ context: 'admin', template: 'console/login' }),
        ...preferencePages,
        ...additions.pages,
      ],
      refusal: ({ info: { ip } }) =>
        mayEnter(ip) ? null : new ForbiddenError({ detail: `${ip} is not in console.allowedIps` }),
    }),
  ];
}

/** Of the session; also the beginning of the names of other cookies. */
const CONSOLE_COOKIE = 'portal-admin';

type SurfaceOptions = Pick<
  ThemeParts,
  'context' | 'home' | 'prefix' | 'layout' | 'pages' | 'rootPages' | 'refusal' | 'unlisted' | 'sessions' | 'viewer'
> & { readonly cookie: string };

function createSessions(
  base: DomainBase,
  { context, ...names }: { readonly context: AuthContext; readonly cookie: string; readonly userKey: string },
): WebSessions {
  const { app, session } = base.config;
  // Keys of their own: a session of one surface is none of the other.
  const [newest, ...earlier] = base.keys(context === 'admin' ? 'console-sessions' : 'web-sessions');
  const hex = (key: KeyObject) => key.export().toString('hex');
  return new WebSessions({
    ...{ ...names, store: createSessionStore(base), absoluteLifetime: session.absolute },
    https: app.url.startsWith('https:'),
    secrets: [hex(newest), ...earlier.map(hex)],
  });
}

function createPageSurface(
  base: DomainBase,
  services: PortalServices,
  { cookie, sessions, ...options }: SurfaceOptions,
): Theme {
  const { config, address } = base;
  const { app, http } = config;
  const https = app.url.startsWith('https:');
  const csrfKey = base.keys(options.context === 'admin' ? 'console-csrf' : 'csrf')[0];
  const csrf = new CsrfGuard({ sessions, https, cookie: `${cookie}-csrf`, key: csrfKey, origin: () => address.base() });
  return new Theme({
    ...{ ...layoutParts(base), services, sessions, csrf, https, ...options },
    oneTime: new OneTimeValues(base),
    formLimit: http.bodyLimit,
  });
}

function createSessionStore({ config, redis, database, clock, logger }: DomainBase) {
  const times = new SessionTimes(config.session, clock);
  if (config.session.store === 'memory') return new RowSessionStore(new MemoryWebSessions(clock), times);
  if (config.session.store === 'database' || redis === null) {
    return new RowSessionStore(new DatabaseWebSessions({ database, clock }), times);
  }
  warnOfEviction(redis, logger);
  return new RedisSessionStore(sessionClient(redis), times);
}

/** The reference of the portal's own API, if `docs.enabled`. */
export function createDocs(base: DomainBase, services: PortalServices, routes: readonly PortalRoute[]): DocsSurface[] {
  const { docs } = base.config;
  if (!docs.enabled) return [];
  return [
    new DocsSurface({
      ...{ ...layoutParts(base), services, prefix: docs.path, publicContexts: docs.contexts },
      documents: describeApi(routes, base.config),
      indexes: services.catalog.indexes,
      authenticate: (context, token, info) => services.auth.guard.authenticate(context, token, info),
      adminPath: services.paths.admin,
      files: { openapi: docs.openapi, postman: docs.postman },
    }),
  ];
}

/** What both surfaces render their pages with. */
function layoutParts({ config, logger, folders: [published, ...others] }: DomainBase) {
  return {
    logger,
    folders: [published, ...others.map((folder) => join(folder, 'theme'))],
    messageFolders: [published, ...others],
    imageHosts: config.theme.imageHosts,
    apiPath: config.portalApi.prefix,
    keep: config.app.env !== 'development',
  };
}

// Routes do not change at run time, so everything is built once, on first use.
function describeApi(routes: readonly PortalRoute[], config: PortalConfig): ApiDocuments {
  const { docs } = config;
  const documents = memoize((context: DocsContext | 'all') =>
    buildDocument(routes, config, context === 'all' ? undefined : context),
  );
  const of = memoize((context: DocsContext): DescribedApi => {
    const json = JSON.stringify(documents(context));
    return { json, hash: createHash('sha256').update(json).digest('hex') };
  });
  const files = memoize((address: string) => {
    const [file, context] = address.split(' ') as [DocsFile, DocsContext | 'all'];
    const bytes = Buffer.from(writeDocument(file, documents(context), config));
    return { bytes, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
  });
  return {
    of,
    file: (file, contexts) => {
      if (!(file === 'postman.json' ? docs.postman : docs.openapi)) return null;
      return files(`${file} ${contexts.length > 1 ? 'all' : (contexts[0] ?? 'all')}`);
    },
  };
}

function writeDocument(file: DocsFile, document: OpenApiDocument, config: PortalConfig): string {
  if (file === 'postman.json') return postmanAsJson(document, config);
  return file === 'openapi.yaml' ? documentAsYaml(document) : documentAsJson(document);
}

function memoize<Key, Value>(build: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? build(key);
    values.set(key, value);
    return value;
  };
}

/** The translatable messages, and how complete each locale is. */
export function translations({ folders, defaultLocale }: DomainBase) {
  const files = new TemplateFiles(folders);
  return {
    check: (locale: string) => checkTranslation(files, defaultLocale, locale),
    translatable: (locale: string) => readTranslatable(files, defaultLocale, locale),
  };
}

/** The MCP endpoint, where agents are served one. */
export function createAgentEndpoints(base: DomainBase, services: PortalServices, limits: LimitStore): Endpoint[] {
  const { config, logger, folders, defaultLocale } = base;
  const { agents, links } = services.site.about;
  const path = agents?.mcp ?? null;
  if (path === null || links.theme === null) return [];
  const dictionary = new Dictionary(new TemplateFiles(folders), defaultLocale, config.app.env !== 'development');
  const most = config.agents.mcpCalls;
  return [
    mcpEndpoint({
      ...{ path, pages: links.theme, services, logger, origins: config.portalApi.cors.origins },
      count: async (key, window) => {
        const outcome = await limits.consume(key, most, window);
        return outcome.granted ? null : outcome.retryAfter;
      },
      messages: async (section, locale) => messagesBelow(await dictionary.messages(locale), section),
      marks: async ({ services, locale }, product, index) => {
        const words = async (section: string) => messagesBelow(await dictionary.messages(locale), section);
        const reading = { services, locale, words };
        return readOperationMarks(reading, product, index, await readEndings(reading, product));
      },
    }),
  ];
}
