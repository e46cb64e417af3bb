import { join, resolve } from 'node:path';
import {
  DatabaseWebSessions,
  MemoryWebSessions,
  RedisWebSessions,
  warnOfEviction,
  type WebSessionStore,
} from '../cache/index.js';
import { parseKey } from '../config/index.js';
import { deriveKey } from '../kernel/index.js';
import { packageFolder } from '../kernel/manifest.js';
import { CsrfGuard, Theme, themePages, WebSessions, withHostPages, type ThemeServices } from '../theme/index.js';
import type { DomainBase } from './base.js';

/** The web theme, when `theme.enabled`. */
export function createTheme(base: DomainBase, services: ThemeServices): Theme[] {
  const { config, extensions, events, root, clock, logger, address } = base;
  const { app, theme, session, http, portalApi } = config;
  if (!theme.enabled) return [];
  const https = app.url.startsWith('https:');
  const masters = [parseKey(app.key), ...app.previousKeys.map(parseKey)] as const;
  const secrets = masters.map((master) => deriveKey(master, 'web-sessions').export().toString('hex'));
  const sessions = new WebSessions({
    ...{ rows: createWebSessions(base), lifetime: session, clock, https, userKey: theme.sessionKey },
    secrets: secrets as [string, ...string[]],
  });
  const csrf = new CsrfGuard({
    ...{ sessions, https },
    key: deriveKey(masters[0], 'csrf'),
    origin: () => address.base(),
  });
  const published = resolve(root, theme.viewsDir);
  const shipped = join(packageFolder(), 'templates');
  const own = extensions.pages?.({ config, services, events } as never) ?? [];
  return [
    new Theme({
      ...{ services, pages: withHostPages(themePages, own), sessions, csrf, logger, https },
      prefix: `/${theme.routePrefix}`,
      formLimit: http.bodyLimit,
      folders: [published, join(shipped, 'theme')],
      wordFolders: [published, shipped],
      apiPath: portalApi.prefix,
      imageHosts: theme.imageHosts,
      keep: app.env !== 'development',
    }),
  ];
}

function createWebSessions({ config, redis, database, clock, logger }: DomainBase): WebSessionStore {
  if (config.session.store === 'memory') return new MemoryWebSessions(clock);
  if (config.session.store === 'database' || redis === null) return new DatabaseWebSessions({ database, clock });
  warnOfEviction(redis, logger);
  return new RedisWebSessions({ link: redis, clock });
}
