import { AggregatorRegistry } from 'prom-client';
import type { Metrics } from './metrics.js';
import { startMetricsServer, type MetricsServer } from './metrics-server.js';

/** In the process that starts the workers: the metrics of all of them, added up. @throws as {@link startMetricsServer} */
export function startClusterMetrics(address: { readonly host: string; readonly port: number }): Promise<MetricsServer> {
  const workers = new AggregatorRegistry();
  return startMetricsServer(() => workers.clusterMetrics(), address);
}

/** In a worker: the metrics are given to the process that started it when it asks. */
export function answerForCluster({ registry }: Metrics): void {
  AggregatorRegistry.setRegistries(registry);
  // Its constructor is what listens for the question.
  new AggregatorRegistry();
}
