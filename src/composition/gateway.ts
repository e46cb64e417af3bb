import { configureGateway, type ConfiguredGateway, type GatewayFactory } from '../gateway/index.js';
import type { DomainBase } from './base.js';

export function createGateway(base: DomainBase): ConfiguredGateway {
  const own = base.extensions.gatewayDrivers as Readonly<Record<string, GatewayFactory>> | undefined;
  const { driver, apigee } = base.config.gateway;
  return configureGateway(driver, base, own, { apigee, root: base.root });
}

export function verifyParts({ config, logger }: DomainBase, gateway: ConfiguredGateway) {
  const { path, secret } = config.verify;
  const verifier = async () => (await gateway.open()).verifier ?? null;
  return { path, secret, behindProxy: config.app.trustProxy > 0, verifier, logger };
}
