import type { Dialect } from '../../src/database/index.js';
import type { GatewayDriver } from '../../src/gateway/index.js';
import { gatewaySide, portalSide } from './both-sides.js';
import { MemoryGateway } from './memory-gateway.js';
import { startTestPortal } from './test-portal.js';

export interface ImportRunResult {
  readonly seconds: number;
  /** Megabytes that the process held at most beyond what it held before. */
  readonly growth: number;
  readonly isEqual: boolean;
  readonly report: object;
  /** Taken over by a second run; nothing. */
  readonly again: number;
}

const MEGABYTE = 2 ** 20;

/** Imports an organization of so many developers with two apps each, interrupted once half way. */
export async function importOrganization(dialect: Dialect, developers: number): Promise<ImportRunResult> {
  const memory = organization(developers);
  const test = await startTestPortal({
    dialect,
    config: { gateway: { driver: 'memory' } },
    extensions: { gatewayDrivers: { memory: (): GatewayDriver => memory } },
  });
  try {
    const before = process.memoryUsage().heapUsed;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 50);
    const start = performance.now();
    const run = (stopAt = Infinity) =>
      test.portal.services.apps.import.run({
        ...{ dryRun: false, foreign: false, parallel: 8 },
        onProgress: (done) => {
          if (done >= stopAt) throw new Error('interrupted');
        },
      });
    await run(developers / 2).catch(() => undefined);
    const report = await run();
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watch);
    const [here, there] = [await portalSide(test.portal.database), await gatewaySide(memory)];
    const isEqual = here.length === there.length && here.every((line, index) => line === there[index]);
    const again = (await run()).developers;
    return { seconds, growth: (most - before) / MEGABYTE, isEqual, report, again };
  } finally {
    await test.stop();
  }
}

function organization(developers: number): MemoryGateway {
  const memory = new MemoryGateway();
  for (let number = 0; number < developers; number += 1) {
    const owner = memory.addDeveloper({
      ...{ portalId: null, email: `developer${number}@example.com`, firstName: 'Dev', lastName: `No. ${number}` },
      status: number % 10 === 0 ? 'inactive' : 'active',
    });
    for (const app of ['web shop', 'mobile']) memory.addApp(owner, app, ['Payments API', `product-${number % 50}`]);
  }
  return memory;
}
