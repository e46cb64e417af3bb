import type { GatewayPlugins } from '../../shipped-drivers.js';
import type { PortalExtensions } from '../extensions.js';
import type { Faults } from '../faults.js';
import type { PortalConfig } from '../options.js';
import { checkBackends } from './backends.js';
import { checkModules } from './modules.js';
import { checkRelations } from './relations.js';
import { checkSecrets } from './secrets.js';
import { checkUrl } from './url.js';

/** Checks that involve several values. Values that are invalid on their own are not checked again. */
export function checkConfig(
  config: PortalConfig,
  extensions: PortalExtensions,
  drivers: GatewayPlugins,
  faults: Faults,
): void {
  const guarded =
    (tell: 'fault' | 'warn') =>
    (path: string, what: string, fix: string): void => {
      if (!faults.broken.has(path)) faults[tell](path, what, fix);
    };
  const severity = { production: guarded('fault'), development: guarded('warn'), test: () => undefined };
  const context = {
    config,
    extensions,
    drivers,
    fault: guarded('fault'),
    warn: guarded('warn'),
    unsafe: severity[config.app.env],
  };
  for (const check of [checkSecrets, checkUrl, checkRelations, checkBackends, checkModules]) check(context);
}
