import { configureGateway, type ConfiguredGateway, type GatewayFactory } from '../gateway/index.js';
import { shippedDriver, shippedDriverNames } from '../shipped-drivers.js';
import type { DomainBase } from './base.js';

export function createGateway(base: DomainBase): ConfiguredGateway {
  return configureGateway(base.config.gateway.driver, base, base.extensions.gatewayDrivers, shippedFactories(base));
}

/**
 * The drivers that ship, with their settings.
 * @internal
 */
export function shippedFactories({ config, root }: Pick<DomainBase, 'config' | 'root'>) {
  const settings: Readonly<Record<string, unknown>> = config.gateway;
  const factoryOf = (name: string): GatewayFactory => {
    return async (context) => (await shippedDriver(name)).open(settings[name] as never, context, root);
  };
  return Object.fromEntries(shippedDriverNames.map((name) => [name, factoryOf(name)]));
}

export function verifyParts({ config, logger }: DomainBase, gateway: ConfiguredGateway) {
  const { path, secret } = config.verify;
  const verifier = async () => (await gateway.open()).verifier ?? null;
  return { path, secret, behindProxy: config.app.trustProxy > 0, verifier, logger };
}
