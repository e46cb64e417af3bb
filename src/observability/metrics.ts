import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  METRIC_COUNTS,
  METRIC_READINGS,
  METRIC_SERIES,
  type MetricCount,
  type MetricReading,
  type MetricSeries,
  type ProcessMetrics,
} from '../core/index.js';

/** A response that was sent. */
export interface ObservedAnswer {
  readonly method: string;
  /** As declared (`/me/apps/:app`), so that the number of series stays small whatever is requested. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Seconds, from a cached page to a gateway that times out. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Gauges that all workers read alike. */
const SHARED: ReadonlySet<string> = new Set(['clock_skew_seconds', 'webhook_lag_seconds']);

/** The metrics of one process, in Prometheus's text format: responses, the state of the process, and Node's own. */
export class Metrics {
  readonly registry = new Registry();
  private readonly answers: Histogram<'method' | 'route' | 'status'>;

  constructor(processMetrics: ProcessMetrics) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.answers = new Histogram({
      name: 'portal_http_request_duration_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    });
    for (const [name, help] of Object.entries(METRIC_COUNTS)) {
      new Counter({
        ...{ name: `portal_${name}`, help, registers },
        collect() {
          this.reset();
          this.inc(processMetrics.readCount(name as MetricCount));
        },
      });
    }
    for (const [name, { help, labels }] of Object.entries(METRIC_SERIES)) {
      new Counter({
        ...{ name: `portal_${name}`, help, labelNames: labels, registers },
        collect() {
          this.reset();
          for (const { labels, value } of processMetrics.readSeries(name as MetricSeries))
            this.inc({ ...labels }, value);
        },
      });
    }
    for (const [name, help] of Object.entries(METRIC_READINGS)) {
      if (processMetrics.read(name as MetricReading) === null) continue;
      new Gauge({
        ...{ name: `portal_${name}`, help, registers },
        // Each worker has its own pools; they share a clock and a database.
        aggregator: SHARED.has(name) ? 'max' : 'sum',
        collect() {
          this.set(processMetrics.read(name as MetricReading) ?? 0);
        },
      });
    }
  }

  observe({ method, route, status, seconds }: ObservedAnswer): void {
    this.answers.observe({ method, route, status }, seconds);
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
