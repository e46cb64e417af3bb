import { ConfigurationError } from '../core/index.js';
import type { GatewayContext } from './context.js';
import type { GatewayDriver } from './contract.js';
import { hideDriverMessages } from './host-driver.js';

export { prefixesOf } from './config.js';
export { type GatewayContext, readInstallation } from './context.js';
export { keyPattern } from './local/key-material.js';

export type { GatewayCapabilities } from './capabilities.js';
export type {
  AppAddress,
  CallLimit,
  CallLimits,
  CreatedApp,
  DeveloperAddress,
  FoundApp,
  FoundDeveloper,
  FoundKey,
  FoundTeam,
  GatewayApp,
  GatewayApps,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
  GatewayDriver,
  CountedTraffic,
  GatewayInventory,
  GatewayStatistics,
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
  MovedApp,
  MoveJournal,
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
export type { DriverCheck, DriverFinding, DriverMachine, GatewayPlugin } from './plugin.js';
export type { KeyAdmission, Denial, DenialReason, KeyDecision, KeyVerifier } from './verification.js';

/** Builds a driver; a host registers its own under the name in `gateway.driver`. */
export type GatewayFactory = (context: GatewayContext) => GatewayDriver | Promise<GatewayDriver>;

/** The configured driver, loaded on first use. */
export type Gateway = () => Promise<GatewayDriver>;

export interface ConfiguredGateway {
  readonly open: Gateway;
  /** Waits for pending work; does nothing if the driver was never used. */
  close(): Promise<void>;
}

// Building blocks for drivers of remote backends
export { CallFailure, showCode } from './call-failure.js';
export type { RemoteAnswer, RemoteRequest } from './http-exchange.js';
export { RemoteClient, type Budget, type RemoteOptions } from './remote-client.js';

const local: GatewayFactory = async (context) => {
  const { LocalGateway } = await import('./local/local-gateway.js');
  return new LocalGateway(context);
};

/**
 * @param own drivers of the host by name; they take precedence
 * @param shipped built-in drivers besides `local`
 * @throws ConfigurationError when there is no driver of that name
 */
export function configureGateway(
  name: string,
  context: GatewayContext,
  own: Readonly<Record<string, GatewayFactory>> = {},
  shipped: Readonly<Record<string, GatewayFactory>> = {},
): ConfiguredGateway {
  const known = new Map([...Object.entries({ local, ...shipped }), ...Object.entries(silenceAll(own))]);
  const factory = known.get(name);
  if (!factory) {
    const names = [...new Set([...Object.keys(own), 'local', ...Object.keys(shipped)])].join(', ');
    const fix = 'use one of them, or give a driver of that name as gatewayDrivers in portal.config.ts';
    throw new ConfigurationError([
      `gateway.driver: there is no driver ${JSON.stringify(name)}; known are ${names}. Fix: ${fix}.`,
    ]);
  }
  let driver: Promise<GatewayDriver> | undefined;
  const make = (): Promise<GatewayDriver> => {
    const making = Promise.resolve().then(() => factory(context));
    // Retried on the next call, in case the driver needs the database and that was down.
    making.catch(() => (driver = undefined));
    return making;
  };
  return {
    open: () => (driver ??= make()),
    close: async () => (await driver?.catch(() => undefined))?.close(),
  };
}

function silenceAll(own: Readonly<Record<string, GatewayFactory>>): Record<string, GatewayFactory> {
  const silence = ([name, make]: [string, GatewayFactory]): [string, GatewayFactory] => [
    name,
    async (context) => hideDriverMessages(await make(context)),
  ];
  return Object.fromEntries(Object.entries(own).map(silence));
}
