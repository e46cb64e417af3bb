import { ConfigurationError } from '../core/index.js';
import type { GatewayConfig } from './config.js';
import type { GatewayContext } from './context.js';
import type { GatewayDriver } from './contract.js';
import { withoutForeignWords } from './host-driver.js';
import { readInstallation } from './installation.js';

export type { GatewayContext } from './context.js';

export type {
  AppAddress,
  CreatedApp,
  DeveloperAddress,
  FoundApp,
  FoundDeveloper,
  FoundKey,
  GatewayApp,
  GatewayApps,
  GatewayCapabilities,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
  GatewayDriver,
  GatewayInventory,
  GatewayKeyProducts,
  GatewayKeys,
  GatewayProduct,
  GatewayProducts,
  GatewayStatus,
  InventoryPage,
  IssuedKey,
  KeyAddress,
  KeyPair,
  KeyProduct,
  NewKey,
} from './contract.js';
export {
  GatewayConflictError,
  GatewayError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
} from './errors.js';
export type { KeyAdmission, Denial, DenialReason, KeyDecision, KeyVerifier } from './verification.js';

/** Builds a driver; a host gives its own under the name that `gateway.driver` says. */
export type GatewayFactory = (context: GatewayContext) => GatewayDriver | Promise<GatewayDriver>;

/** The configured driver, loaded when it is first asked for. */
export type Gateway = () => Promise<GatewayDriver>;

export interface ConfiguredGateway {
  readonly open: Gateway;
  /** Waits for what is still on its way; does nothing for a driver that was never asked for. */
  close(): Promise<void>;
}

/** What drivers of the package read from the configuration. */
export interface GatewaySettings {
  readonly apigee: GatewayConfig['apigee'];
  /** Folder of the host project. */
  readonly root: string;
}

/** The package's drivers. */
const builtIn: Readonly<Record<string, (settings?: GatewaySettings) => Promise<GatewayFactory>>> = {
  local: async () => {
    const { LocalGateway } = await import('./local/local-gateway.js');
    return (context) => new LocalGateway(context);
  },
  apigee: async (settings) => {
    const { ApigeeGateway } = await import('./apigee/apigee-gateway.js');
    if (settings === undefined) throw new ConfigurationError(['gateway.apigee: the driver was given no settings.']);
    const { apigee, root } = settings;
    return async (context) => {
      const installation = await readInstallation(context.database);
      return new ApigeeGateway({ ...context, installation }, apigee, root);
    };
  },
};

/**
 * @param own drivers of the host by name; they come before the package's
 * @param settings for the package's drivers that need any
 * @throws ConfigurationError when nobody has a driver of that name
 */
export function configureGateway(
  name: string,
  context: GatewayContext,
  own: Readonly<Record<string, GatewayFactory>> = {},
  settings?: GatewaySettings,
): ConfiguredGateway {
  const load = loaderOf(name, own, settings);
  if (!load) {
    const known = [...new Set([...Object.keys(own), ...Object.keys(builtIn)])].join(', ');
    const fix = 'use one of them, or give a driver of that name as gatewayDrivers in portal.config.ts';
    throw new ConfigurationError([
      `gateway.driver: there is no driver ${JSON.stringify(name)}; known are ${known}. Fix: ${fix}.`,
    ]);
  }
  let driver: Promise<GatewayDriver> | undefined;
  const make = (): Promise<GatewayDriver> => {
    const making = load().then((factory) => factory(context));
    // One that asks the database is made again when that was away.
    making.catch(() => (driver = undefined));
    return making;
  };
  return {
    open: () => (driver ??= make()),
    close: async () => (await driver?.catch(() => undefined))?.close(),
  };
}

function loaderOf(
  name: string,
  own: Readonly<Record<string, GatewayFactory>>,
  settings: GatewaySettings | undefined,
): (() => Promise<GatewayFactory>) | undefined {
  const factory = Object.hasOwn(own, name) ? own[name] : undefined;
  if (factory) return () => Promise.resolve(async (context) => withoutForeignWords(await factory(context)));
  const make = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  return make && (() => make(settings));
}
