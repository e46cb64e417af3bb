import type { GatewayDriver } from '../../../src/gateway/index.js';
import { FakeApigee } from '../fake-apigee.js';
import { MemoryGateway } from '../memory-gateway.js';
import { remoteGateway, serveGateway } from '../remote-gateway.js';
import type { SagaRunOptions } from './operation-run.js';

export interface SagaGateway extends Pick<SagaRunOptions, 'gateway' | 'driver'> {
  stop(): Promise<void>;
}

/** Gateways for interrupted changes, which outlive the killed process. */
export const sagaGateways = {
  /** The portal's own, in the database of the killed process. */
  local: (): Promise<SagaGateway> =>
    Promise.resolve({
      gateway: { driver: 'local', config: {} },
      driver: (test): Promise<GatewayDriver> => test.portal.gateway.open(),
      stop: () => Promise.resolve(),
    }),
  /** A remote one. */
  remote: async (): Promise<SagaGateway> => {
    const memory = new MemoryGateway();
    const { capabilities } = memory;
    const served = await serveGateway(memory);
    return {
      gateway: { driver: 'remote', config: {}, remote: { url: served.url, capabilities } },
      driver: () => Promise.resolve(remoteGateway(served.url, capabilities)),
      stop: () => served.stop(),
    };
  },
  /** A fake Apigee organization. */
  'apigee-x': () => apigee('x'),
  'apigee-edge': () => apigee('edge'),
} satisfies Record<string, () => Promise<SagaGateway>>;

async function apigee(flavour: 'x' | 'edge'): Promise<SagaGateway> {
  const products = ['payments', 'geo', 'maps'].map((name) => ({ name }));
  const fake = await FakeApigee.start({ flavour, products });
  return {
    gateway: { driver: 'apigee', config: { apigee: fake.settings() } },
    driver: (test) => test.portal.gateway.open(),
    stop: () => fake.stop(),
  };
}
