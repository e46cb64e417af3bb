// A process that changes one thing and kills itself at a step of it. Parameters as JSON: see BreakOff.
import { shippedFactories } from '../../../../src/composition/services.js';
import { configureGateway, type GatewayContext, type GatewayDriver } from '../../../../src/gateway/index.js';
import type { Portal } from '../../../../src/portal.js';
import { FakeClock } from '../../fake-clock.js';
import { remoteGateway } from '../../remote-gateway.js';
import { startTestPortal } from '../../test-portal.js';
import { operations, type BreakOff } from '../operations.js';

const task = JSON.parse(process.argv[2] ?? '{}') as BreakOff;
let count = 0;
let isWatching = false;

/** Counts a point at which the process may die, and dies there when it is told to. */
async function step(name: string): Promise<void> {
  if (!isWatching) return;
  count += 1;
  process.stdout.write(`${count} ${name}\n`);
  if (count !== task.killAt) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

/** A point after every call that the gateway has done, before anybody knows. */
function watchedDriver(driver: GatewayDriver): GatewayDriver {
  const watched = (group: string, target: object) =>
    new Proxy(target, {
      get: (_, method: string) => {
        const call = (target as Record<string, (...values: unknown[]) => Promise<unknown>>)[method];
        return async (...values: unknown[]) => {
          const result = await call?.apply(target, values);
          await step(`the gateway did ${group}.${method}`);
          return result;
        };
      },
    });
  return {
    ...{ name: driver.name, capabilities: driver.capabilities },
    ...{ check: () => driver.check(), close: () => driver.close() },
    developers: watched('developers', driver.developers) as GatewayDriver['developers'],
    apps: watched('apps', driver.apps) as GatewayDriver['apps'],
    keys: watched('keys', driver.keys) as GatewayDriver['keys'],
    keyProducts: watched('keyProducts', driver.keyProducts) as GatewayDriver['keyProducts'],
    products: driver.products,
    ...(driver.inventory && { inventory: driver.inventory }),
  };
}

/** A point after every single request of a driver: some need several for one call. */
function watchRequests(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    await step('after a request of the driver');
    return response;
  };
}

/** Points around every commit, and after every statement outside of a transaction. */
function watchDatabase({ database }: Portal): void {
  const transaction = database.transaction.bind(database);
  database.transaction = async (run) => {
    const result = await transaction(async (scope) => {
      const value = await run(scope);
      await step('before a commit');
      return value;
    });
    await step('after a commit');
    return result;
  };
  const execute = database.execute.bind(database);
  database.execute = async (sql, values, options) => {
    const result = await execute(sql, values, options);
    if (!options?.transaction) await step(`after ${sql.slice(0, 40)}`);
    return result;
  };
  const write = database.write.bind(database);
  database.write = async (run, scope) => {
    const result = await write(run, scope);
    if (!scope) await step('after a write of a model');
    return result;
  };
}

const { gateway, databaseUrl, appKey } = task;
// Asked for with the first call, when there is a portal.
const shipped = () => shippedFactories({ config: test.portal.config, root: process.cwd() });
const test = await startTestPortal({
  databaseUrl,
  clock: new FakeClock(task.now),
  config: { app: { key: appKey }, gateway: { ...gateway.config, driver: 'watched' } },
  extensions: {
    gatewayDrivers: {
      watched: async (context: GatewayContext) =>
        watchedDriver(
          gateway.remote
            ? remoteGateway(gateway.remote.url, gateway.remote.capabilities)
            : await configureGateway(gateway.driver, context, {}, shipped()).open(),
        ),
    },
  },
});
const change = await operations[task.operation](test.portal, task.userId);
watchDatabase(test.portal);
watchRequests();
isWatching = true;
await change();
isWatching = false;
await test.stop();
