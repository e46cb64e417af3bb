import type { GatewayPlugins } from '../shipped-drivers.js';
import type { PortalExtensions } from './extensions.js';
import type { Faults } from './faults.js';
import type { PortalConfig } from './options.js';
import { checkBackends } from './check-backends.js';
import { checkRelations } from './check-relations.js';
import { checkSecrets } from './check-secrets.js';
import type { CheckContext } from './check-context.js';

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
