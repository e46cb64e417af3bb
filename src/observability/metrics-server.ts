import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AggregatorRegistry } from 'prom-client';
import { ConfigurationError } from '../core/index.js';
import type { Metrics } from './metrics.js';

export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, and nothing else, on its own address.
 * @throws ConfigurationError for an address that cannot be listened on
 */
export async function startMetricsServer(
  render: () => Promise<string>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    render().then(
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = `metrics.port: cannot listen on ${host}:${port} (${error.code ?? error.message})`;
      reject(new ConfigurationError([`${what}. Fix: set METRICS_PORT and METRICS_HOST to what is free, or 0.`]));
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * For the process that starts the workers: serves the sum of their metrics.
 * @throws as {@link startMetricsServer}
 */
export function startClusterMetrics(address: { readonly host: string; readonly port: number }): Promise<MetricsServer> {
  const workers = new AggregatorRegistry();
  return startMetricsServer(() => workers.clusterMetrics(), address);
}

/** For a worker: sends its metrics to the process that started it, on request. */
export function answerForCluster({ registry }: Metrics): void {
  AggregatorRegistry.setRegistries(registry);
  // Its constructor registers the listener for that request.
  new AggregatorRegistry();
}
