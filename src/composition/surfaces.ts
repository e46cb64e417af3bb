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
import type { PortalServices } from '../domain/services.js';
import type { Registered } from '../extend/modules.js';
import {
  buildDocument,
  documentAsJson,
  documentAsYaml,
  postmanAsJson,
  type OpenApiDocument,
} from '../openapi/index.js';
import { checkTranslation, TemplateFiles, translatableWords } from '../templates/index.js';
import {
  CsrfGuard,
  DocsSurface,
  RedisSessionStore,
  RowSessionStore,
  SessionTimes,
  Theme,
  themePages,
  WebSessions,
  type ApiDocuments,
  type DescribedApi,
  type DocsContext,
  type DocsFile,
} from '../theme/index.js';
import type { DomainBase } from './base.js';

/** The web theme, if `theme.enabled`. */
export function createTheme(base: DomainBase, services: PortalServices, registered: Registered): Theme[] {
  const { config, address } = base;
  const { app, theme, session, http } = config;
  if (!theme.enabled) return [];
  const https = app.url.startsWith('https:');
  const [newest, ...earlier] = base.keys('web-sessions');
  const hex = (key: KeyObject) => key.export().toString('hex');
  const sessions = new WebSessions({
    ...{ store: createSessionStore(base), absoluteLifetime: session.absolute, https, userKey: theme.sessionKey },
    secrets: [hex(newest), ...earlier.map(hex)],
  });
  const csrf = new CsrfGuard({ sessions, https, key: base.keys('csrf')[0], origin: () => address.base() });
  return [
    new Theme({
      ...{ ...layoutParts(base), services, sessions, csrf, https, links: registered.links },
      pages: registered.addPages(themePages),
      oneTime: new OneTimeValues(base),
      prefix: `/${theme.routePrefix}`,
      formLimit: http.bodyLimit,
    }),
  ];
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
