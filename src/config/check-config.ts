import type { GatewayPlugins } from '../shipped-drivers.js';
import { checkBackends } from './check-backends.js';
import type { CheckContext } from './check-context.js';
import { checkSecrets } from './check-secrets.js';
import type { PortalExtensions } from './extensions.js';
import type { Faults } from './faults.js';
import type { PortalConfig } from './options.js';

/** Values that contradict one another. */
function checkRelations(context: CheckContext): void {
  checkOrder(context);
  checkPaths(context);
  const { theme, portalApi } = context.config;
  if (!theme.locales.includes(theme.locale)) {
    context.fault(
      'theme.locale',
      `must be one of theme.locales (${theme.locales.join(', ')})`,
      'add it to theme.locales',
    );
  }
  if (!portalApi.rbac.enabled && !portalApi.usePolicies) {
    const what = 'and portalApi.rbac.enabled are both off, so every admin may do everything';
    context.warn('portalApi.usePolicies', what, 'switch at least one of them on');
  }
}

function checkOrder({ config: { portalApi, session, limits, database }, fault }: CheckContext): void {
  const pairs: [string, number, string, number][] = [
    [
      'portalApi.pagination.maxPerPage',
      portalApi.pagination.maxPerPage,
      'portalApi.pagination.perPage',
      portalApi.pagination.perPage,
    ],
    ['portalApi.refreshTtl', portalApi.refreshTtl, 'portalApi.accessTtl', portalApi.accessTtl],
    ['session.absolute', session.absolute, 'session.idle', session.idle],
    [
      'limits.login.lockout.max',
      limits.login.lockout.max,
      'limits.login.lockout.initial',
      limits.login.lockout.initial,
    ],
    ['limits.register.perDay', limits.register.perDay, 'limits.register.perHour', limits.register.perHour],
    ['database.pool.max', database.pool.max, 'database.pool.min', database.pool.min],
  ];
  for (const [path, value, other, least] of pairs) {
    if (value < least) fault(path, `must not be less than ${other}`, `raise it, or lower ${other}`);
  }
}

// With two surfaces on one path, their order would decide which one answers.
function checkPaths({ config: { portalApi, theme, console: admin, docs, verify }, fault }: CheckContext): void {
  const surfaces = [
    // Also without the API: health probes use it.
    { path: 'portalApi.prefix', at: portalApi.prefix, isServed: true },
    { path: 'theme.routePrefix', at: `/${theme.routePrefix}`, isServed: theme.enabled },
    { path: 'console.path', at: `/${admin.path}`, isServed: admin.enabled },
    { path: 'docs.path', at: docs.path, isServed: docs.enabled },
    { path: 'verify.path', at: verify.path, isServed: verify.enabled },
  ].filter(({ isServed }) => isServed);
  for (const [index, { path, at }] of surfaces.entries()) {
    const other = surfaces.slice(0, index).find((earlier) => overlap(earlier.at, at));
    if (other) fault(path, `must not overlap with ${other.path} (${at} and ${other.at})`, 'give each its own path');
  }
}

function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Checks that involve several values. Values that are invalid on their own are not checked again. */
export function checkConfig(
  config: PortalConfig,
  extensions: PortalExtensions,
  drivers: GatewayPlugins,
  faults: Faults,
): void {
  const guard =
    (tell: 'fault' | 'warn') =>
    (path: string, what: string, fix: string): void => {
      if (!faults.broken.has(path)) faults[tell](path, what, fix);
    };
  const severity = { production: guard('fault'), development: guard('warn'), test: () => undefined };
  const context = {
    config,
    extensions,
    drivers,
    fault: guard('fault'),
    warn: guard('warn'),
    unsafe: severity[config.app.env],
  };
  for (const check of [checkSecrets, checkUrl, checkRelations, checkBackends, checkModules]) check(context);
}

/** The checks of modules on their own settings. */
function checkModules({ config, extensions, fault }: CheckContext): void {
  for (const { name, check } of extensions.modules ?? []) {
    const options = (config as unknown as Record<string, unknown>)[name] ?? {};
    for (const { setting, what, fix = 'correct it' } of check?.(options as never, config as never) ?? []) {
      fault(`${name}.${setting}`, what, fix);
    }
  }
}

/** S37 and S47: links and cookie attributes follow from `app.url`. */
function checkUrl({ config: { app }, fault, unsafe }: CheckContext): void {
  const fix = 'write scheme and host, such as https://portal.example.com';
  if (app.url === '') return fault('app.url', 'is required in production', fix);
  if (!/^https?:\/\//i.test(app.url) || !URL.canParse(app.url))
    return fault('app.url', 'must be an http or https URL', fix);
  const { pathname, search, hash, username, password, protocol } = new URL(app.url);
  if (pathname !== '/' || `${search}${hash}${username}${password}` !== '') {
    fault('app.url', 'must have no path, query, fragment or credentials', fix);
  }
  if (protocol === 'http:' && app.env === 'production' && !app.allowHttp) {
    unsafe('app.url', 'is plain http', 'use https, or set app.allowHttp to true when a trusted network protects it');
  }
}
