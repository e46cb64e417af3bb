import { configureGateway, type ConfiguredGateway } from '../gateway/index.js';
import type { DomainBase } from './base.js';

export function createGateway(base: DomainBase): ConfiguredGateway {
  const { driver, apigee } = base.config.gateway;
  return configureGateway(driver, base, base.extensions.gatewayDrivers, { apigee, root: base.root });
}

export function verifyParts({ config, logger }: DomainBase, gateway: ConfiguredGateway) {
  const { path, secret } = config.verify;
  const verifier = async () => (await gateway.open()).verifier ?? null;
  return { path, secret, behindProxy: config.app.trustProxy > 0, verifier, logger };
}
