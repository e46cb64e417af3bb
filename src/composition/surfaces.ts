import { createHash, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
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
import type { PortalServices } from '../domain/services.js';
import type { Registered } from '../extend/modules.js';
import { Operations, type Pipeline } from '../http/index.js';
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
  say,
  TemplateFiles,
  translatableWords,
  type WordValues,
} from '../templates/index.js';
import {
  CsrfGuard,
  DocsSurface,
  LayoutData,
  preferencePages,
  RedisSessionStore,
  RowSessionStore,
  SessionTimes,
  signInPages,
  Theme,
  themePages,
  WebSessions,
  type ApiDocuments,
  type DescribedApi,
  type DocsContext,
  type DocsFile,
  type ThemeParts,
} from '../theme/index.js';
import type { DomainBase } from './base.js';

/** The web theme, if `theme.enabled`. */
export function createTheme(base: DomainBase, services: PortalServices, registered: Registered): Theme[] {
  const { theme, console: admin } = base.config;
  if (!theme.enabled) return [];
  const prefix = `/${theme.routePrefix}`;
  const { about, menus } = services.site;
  return [
    createPageSurface(base, services, {
      ...{ context: 'consumer', home: '/dashboard', prefix, cookie: 'portal', userKey: theme.sessionKey },
      unlisted: admin.enabled ? [`/${admin.path}`] : [],
      layout: new LayoutData({ about, menus, prefix, links: registered.links, clock: base.clock }),
      pages: registered.addPages(themePages),
    }),
  ];
}

/** The admin console, if `console.enabled`. @param routes declared ones, whether the API serves them or not */
export function createConsole(
  base: DomainBase,
  services: PortalServices,
  routes: readonly PortalRoute[],
  pipeline: Pipeline<PortalServices>,
  additions: Registered['console'],
): Theme[] {
  const { console: config } = base.config;
  if (!config.enabled) return [];
  const operations = new Operations(routes, pipeline);
  const registry = new ResourceRegistry(withAdditions(adminResources, additions.resources), operations);
  services.console.operations.connect(operations, (resource, action) => registry.findBulkAction(resource, action));
  const translated = base.locales.filter((locale) => locale !== base.defaultLocale);
  const waiting = new WaitingCount(operations, base.clock);
  const context = { operations, registry, translated, waiting, say: sayingOf(base) };
  const prefix = `/${config.path}`;
  const allowed = new AddressList(config.allowedIps);
  return [
    createPageSurface(base, services, {
      ...{ context: 'admin', home: '/', prefix, cookie: 'portal-admin', userKey: 'console.admin_id' },
      unlisted: [prefix],
      layout: new ConsoleLayout({
        ...{ about: services.site.about, views: services.console.views, config, context, prefix },
        links: additions.links,
      }),
      pages: [
        ...consolePages(context),
        ...signInPages({ context: 'admin', template: 'console/login' }),
        ...preferencePages,
        ...additions.pages,
      ],
      refusal: ({ info: { ip } }) =>
        allowed.entries.length === 0 || allowed.includes(ip)
          ? null
          : new ForbiddenError({ detail: `${ip} is not in console.allowedIps` }),
    }),
  ];
}

function sayingOf(base: DomainBase) {
  const { wordFolders, keep } = layoutParts(base);
  const dictionary = new Dictionary(new TemplateFiles(wordFolders), base.defaultLocale, keep);
  return async (key: string, locale: string, values: WordValues = {}) =>
    say(await dictionary.messages(locale), locale, key, values);
}

type SurfaceOptions = Pick<ThemeParts, 'context' | 'home' | 'prefix' | 'layout' | 'pages' | 'refusal' | 'unlisted'> & {
  /** Of the session; also the beginning of the other names. */
  readonly cookie: string;
  readonly userKey: string;
};

function createPageSurface(
  base: DomainBase,
  services: PortalServices,
  { cookie, userKey, ...options }: SurfaceOptions,
): Theme {
  const { config, address } = base;
  const { app, session, http } = config;
  const https = app.url.startsWith('https:');
  // Keys of their own: a session of one surface is none of the other.
  const [newest, ...earlier] = base.keys(options.context === 'admin' ? 'console-sessions' : 'web-sessions');
  const hex = (key: KeyObject) => key.export().toString('hex');
  const sessions = new WebSessions({
    ...{ cookie, store: createSessionStore(base), absoluteLifetime: session.absolute, https, userKey },
    secrets: [hex(newest), ...earlier.map(hex)],
  });
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
      documents: describedApi(routes, base.config),
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
    wordFolders: [published, ...others],
    imageHosts: config.theme.imageHosts,
    apiPath: config.portalApi.prefix,
    keep: config.app.env !== 'development',
  };
}

// Routes do not change at run time, so everything is built once, on first use.
function describedApi(routes: readonly PortalRoute[], config: PortalConfig): ApiDocuments {
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
    translatable: (locale: string) => translatableWords(files, defaultLocale, locale),
  };
}
