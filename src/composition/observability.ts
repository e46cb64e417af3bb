import cluster from 'node:cluster';
import { RefreshTokenReusedEvent } from '../domain/auth/index.js';
import type { TrafficObserver } from '../http/index.js';
import { isListening, loadPrometheus, type Metrics, type MetricsServer } from '../observability/index.js';
import type { DomainBase } from './base.js';

/** The metrics of a serving portal; their package is loaded on start. */
export interface MetricsRoom {
  readonly onAnswered: TrafficObserver | null;
  /** @throws ConfigurationError if `metrics.port` cannot be bound */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createMetrics({ config, processMetrics, events }: DomainBase): MetricsRoom {
  events.on(RefreshTokenReusedEvent, () => processMetrics.count('refresh_token_reuse_total'));
  if (config.metrics.port === 0) {
    return { onAnswered: null, start: () => Promise.resolve(), stop: () => Promise.resolve() };
  }
  let metrics: Metrics | null = null;
  let server: MetricsServer | null = null;
  return {
    onAnswered: (answered) => metrics?.observe(answered),
    async start() {
      const room = await loadPrometheus();
      const begun = new room.Metrics(processMetrics);
      metrics = begun;
      // The primary serves the metrics of all workers.
      if (cluster.isWorker) room.answerForCluster(begun);
      else server = await room.startMetricsServer(() => begun.render(), config.metrics);
    },
    async stop() {
      await server?.close();
      server = null;
    },
  };
}

/**
 * Warns when tracing is enabled but will record nothing. Not an error: observability must not stop a portal from
 * serving.
 */
export function announceTracing({ config, root, logger }: DomainBase): void {
  if (!config.tracing.enabled || isListening(root)) return;
  const fix = 'start the process with --import ./tracing.js, as in docs/production.md, and the same @opentelemetry/api';
  logger.warn({ setting: 'tracing.enabled', fix }, 'no OpenTelemetry SDK takes the spans');
}
