import { ConfigurationError } from '../kernel/index.js';
import type { GatewayContext } from './context.js';
import type { GatewayDriver } from './contract.js';

export type { GatewayContext } from './context.js';

export type {
  AppAddress,
  CreatedApp,
  DeveloperAddress,
  GatewayApp,
  GatewayApps,
  GatewayCapabilities,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
  GatewayDriver,
  GatewayKeyProducts,
  GatewayKeys,
  GatewayStatus,
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
export type { Admission, Denial, DenialReason, KeyDecision, KeyVerifier } from './verification.js';

/** Builds a driver; a host gives its own under the name that `gateway.driver` says. */
export type GatewayFactory = (context: GatewayContext) => GatewayDriver | Promise<GatewayDriver>;

/** The package's drivers, each loaded only when it is configured. */
const builtIn: Readonly<Record<string, () => Promise<GatewayFactory>>> = {
  local: async () => {
    const { LocalGateway } = await import('./local/local-gateway.js');
    return (context) => new LocalGateway(context);
  },
};

/**
 * The configured driver.
 * @param own drivers of the host by name; they come before the package's
 * @throws ConfigurationError when nobody has a driver of that name
 */
export async function openGateway(
  name: string,
  context: GatewayContext,
  own: Readonly<Record<string, GatewayFactory>> = {},
): Promise<GatewayDriver> {
  const factory = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(builtIn, name) && (await builtIn[name]?.());
  if (factory) return factory(context);
  const known = [...Object.keys(own), ...Object.keys(builtIn)].join(', ');
  throw new ConfigurationError([`gateway.driver: there is no driver ${JSON.stringify(name)}; known are ${known}.`]);
}
