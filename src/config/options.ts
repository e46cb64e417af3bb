import { agentsOptions } from '../agents/config.js';
import { docsOptions } from '../openapi/config.js';
import { redisOptions } from '../cache/config.js';
import { consoleOptions } from '../console/config.js';
import { databaseOptions } from '../database/config.js';
import { accountOptions } from '../domain/accounts/config.js';
import { appsOptions } from '../domain/apps/config.js';
import { limitOptions, passwordOptions, tokenOptions } from '../domain/auth/config.js';
import { catalogOptions } from '../domain/catalog/config.js';
import { contentOptions } from '../domain/content/config.js';
import { notificationOptions } from '../domain/notifications/config.js';
import { searchOptions } from '../domain/search/config.js';
import { teamOptions } from '../domain/teams/config.js';
import { usageOptions } from '../domain/usage/config.js';
import { rbacOptions } from '../domain/rbac/config.js';
import { gatewayOptions, keyOptions, verifyOptions } from '../gateway/config.js';
import { apiSurfaceOptions, appOptions, httpOptions, serverOptions } from '../http/config.js';
import { isOption, type AnyOption, type OptionInputs, type OptionSection, type OptionValues } from '../core/index.js';
import { shippedDriverNames, type GatewayPlugins, type ShippedOptions } from '../shipped-drivers.js';
import { limitStoreOptions } from '../limits/config.js';
import { mailOptions } from '../mail/config.js';
import { metricsOptions, tracingOptions } from '../observability/config.js';
import { outboundOptions } from '../outbound/config.js';
import { sessionOptions, themeOptions } from '../theme/config.js';

/** All sections, under the paths that hosts write. */
export const portalOptions = {
  app: appOptions,
  server: serverOptions,
  http: httpOptions,
  limits: { ...limitStoreOptions, ...limitOptions },
  portalApi: { ...apiSurfaceOptions, ...tokenOptions, ...rbacOptions },
  theme: themeOptions,
  session: sessionOptions,
  console: consoleOptions,
  database: databaseOptions,
  redis: redisOptions,
  gateway: gatewayOptions(['local', ...shippedDriverNames]),
  keys: keyOptions,
  verify: verifyOptions,
  accounts: { ...accountOptions, password: passwordOptions },
  apps: appsOptions,
  teams: teamOptions,
  usage: usageOptions,
  catalog: catalogOptions,
  content: contentOptions,
  search: searchOptions,
  outbound: outboundOptions,
  docs: docsOptions,
  agents: agentsOptions,
  mail: mailOptions,
  notices: notificationOptions,
  metrics: metricsOptions,
  tracing: tracingOptions,
};

type GatewayOptions = typeof portalOptions.gateway & ShippedOptions;

/** The effective configuration: complete, validated, deeply frozen. */
export type PortalConfig = Omit<OptionValues<typeof portalOptions>, 'gateway'> & {
  readonly gateway: OptionValues<GatewayOptions>;
};

/** The options of host drivers and modules are unknown to the type; the loader checks them. */
export type PortalConfigInput = Omit<OptionInputs<typeof portalOptions>, 'gateway'> & {
  readonly gateway?: OptionInputs<GatewayOptions> & { readonly [driver: string]: unknown };
};

/** The whole tree, including the options of drivers. */
export function optionsWith(drivers: GatewayPlugins): typeof portalOptions {
  const settings = Object.entries(drivers).map(([name, { options }]) => [name, options] as const);
  return { ...portalOptions, gateway: { ...portalOptions.gateway, ...Object.fromEntries(settings) } };
}

export interface ListedOption {
  readonly path: string;
  /** The name derived from the path, then the aliases. */
  readonly env: readonly [string, ...string[]];
  readonly option: AnyOption;
}

/** Every option of a tree, in declaration order. */
export function listOptions(section: OptionSection, prefix = ''): ListedOption[] {
  return Object.entries(section).flatMap(([name, node]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (!isOption(node)) return listOptions(node, path);
    return [{ path, env: [environmentName(path), ...(node.env ?? [])], option: node } satisfies ListedOption];
  });
}

/** `portalApi.rbac.bypassRoles` → `PORTAL_API_RBAC_BYPASS_ROLES`. */
export function environmentName(path: string): string {
  return path
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase();
}
