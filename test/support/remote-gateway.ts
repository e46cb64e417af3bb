import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import * as gatewayErrors from '../../src/gateway/errors.js';
import type { GatewayCapabilities, GatewayDriver } from '../../src/gateway/index.js';

const GROUPS = ['developers', 'apps', 'keys', 'keyProducts', 'products', 'inventory'] as const;
/** What no driver has that is served here: whoever asks for it finds nothing. */
const WITHOUT = 'teams';
type Group = (typeof GROUPS)[number];
type Methods = Record<string, (...values: unknown[]) => Promise<unknown>>;

interface Answer {
  readonly result?: unknown;
  /** Name of the error class. */
  readonly fault?: keyof typeof gatewayErrors;
}

/** Serves a driver of this process to others. @returns its address, and how to stop */
export async function serveGateway(driver: GatewayDriver): Promise<{ url: string; stop(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [group, method, values] = deserialize(Buffer.concat(chunks)) as [Group, string, unknown[]];
      const call = (driver[group] as unknown as Methods)[method] as Methods[string];
      void call(...values).then(
        (result) => response.end(serialize({ result } satisfies Answer)),
        (error: Error) => response.end(serialize({ fault: error.constructor.name })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The other end of {@link serveGateway}: a driver whose backend lives on when its process dies. */
export function remoteGateway(url: string, capabilities: GatewayCapabilities): GatewayDriver {
  const ask = async (group: Group, method: string, values: unknown[]): Promise<unknown> => {
    const body = new Uint8Array(serialize([group, method, values]));
    const response = await fetch(url, { method: 'POST', body });
    const { result, fault } = deserialize(Buffer.from(await response.arrayBuffer())) as Answer;
    if (fault === undefined) return result;
    const ErrorClass = gatewayErrors[fault] as unknown as new () => Error;
    throw new ErrorClass();
  };
  const groups = GROUPS.map((group) => [
    group,
    new Proxy(
      {},
      {
        get: (_, method: string) =>
          method === WITHOUT ? undefined : (...values: unknown[]) => ask(group, method, values),
      },
    ),
  ]);
  return {
    ...(Object.fromEntries(groups) as Pick<GatewayDriver, Group>),
    ...{ name: 'remote', capabilities },
    check: async () => {},
    close: async () => {},
  };
}
