import { join } from 'node:path';
import {
  DatabaseWebSessions,
  MemoryWebSessions,
  OneTimeValues,
  sessionClient,
  warnOfEviction,
} from '../cache/index.js';
import { parseKey } from '../config/index.js';
import { deriveKey } from '../core/index.js';
import {
  CsrfGuard,
  RedisSessionStore,
  RowSessionStore,
  SessionTimes,
  Theme,
  themePages,
  WebSessions,
} from '../theme/index.js';
import type { DomainBase } from './base.js';
import type { Registered } from '../extend/modules.js';
import type { PortalParts } from '../extend/portal-parts.js';
import { templateFolders } from './templates.js';

/** The web theme, if `theme.enabled`. */
export function createTheme(base: DomainBase, { services }: PortalParts, registered: Registered): Theme[] {
  const { config, logger, address } = base;
  const { app, theme, session, http, portalApi } = config;
  if (!theme.enabled) return [];
  const https = app.url.startsWith('https:');
  const masters = [parseKey(app.key), ...app.previousKeys.map(parseKey)] as const;
  const secrets = masters.map((master) => deriveKey(master, 'web-sessions').export().toString('hex'));
  const sessions = new WebSessions({
    ...{ store: createSessionStore(base), absoluteLifetime: session.absolute, https, userKey: theme.sessionKey },
    secrets: secrets as [string, ...string[]],
  });
  const csrf = new CsrfGuard({
    ...{ sessions, https },
    key: deriveKey(masters[0], 'csrf'),
    origin: () => address.base(),
  });
  const [published = '', ...others] = templateFolders(base);
  const pages = registered.addPages(themePages);
  return [
    new Theme({
      ...{ services, pages, sessions, csrf, logger, https, links: registered.links },
      oneTime: new OneTimeValues(base),
      prefix: `/${theme.routePrefix}`,
      formLimit: http.bodyLimit,
      folders: [published, ...others.map((folder) => join(folder, 'theme'))],
      wordFolders: [published, ...others],
      apiPath: portalApi.prefix,
      imageHosts: theme.imageHosts,
      keep: app.env !== 'development',
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
