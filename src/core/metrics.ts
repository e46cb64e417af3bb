/** Counters of a process by metric name, with their descriptions. */
export const METRIC_COUNTS = {
  limit_fallbacks_total: 'Limits that were counted in this process because Redis was away.',
  gateway_breaker_opened_total: 'Times the gateway was left alone after repeated failures.',
  refresh_token_reuse_total: 'Used refresh tokens that came again; each ended a sign-in.',
  call_limit_fallbacks_total: 'Calls that a process held against their plan by itself, because Redis was away or slow.',
  call_limit_unread_total: 'Times that a plan, or the calls made so far, could not be read in time; calls then pass.',
  webhooks_sent_total: 'Messages that endpoints of webhooks took.',
  webhook_failures_total: 'Attempts at endpoints of webhooks that failed.',
  usage_lost_calls_total: 'Calls at the verify endpoints that could not be kept until the database took their count.',
} as const;

/** Gauges of a process. */
export const METRIC_READINGS = {
  database_connections: 'Connections to the database that are open.',
  database_connections_used: 'Connections to the database that are in use.',
  database_connections_wanted: 'Callers that wait for a connection to the database.',
  clock_skew_seconds: 'How far the clock of this machine is ahead of that of Redis or the database.',
  webhook_lag_seconds: 'How long ago the oldest message was due that an endpoint of webhooks could be sent now.',
  usage_pending_calls: 'Calls at the verify endpoints whose count the database does not have yet.',
} as const;

/** Counters of a process by label. */
export const METRIC_SERIES = {
  gateway_calls_total: {
    help: 'Calls that a proxy asked about, by product and outcome; never by key.',
    labels: ['product', 'outcome'],
  },
} as const;

/** One counter of a series. */
export interface LabelledCount {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type MetricCount = keyof typeof METRIC_COUNTS;
export type MetricReading = keyof typeof METRIC_READINGS;
export type MetricSeries = keyof typeof METRIC_SERIES;

/** Counters and gauges of one process. Costs nothing when metrics are off. */
export class ProcessMetrics {
  private readonly counts = new Map<MetricCount, number>();
  private readonly sources = new Map<MetricReading, () => number>();
  private readonly series = new Map<MetricSeries, () => Iterable<LabelledCount>>();

  count(name: MetricCount, by = 1): void {
    this.counts.set(name, this.readCount(name) + by);
  }

  readCount(name: MetricCount): number {
    return this.counts.get(name) ?? 0;
  }

  /** Registers the source of a gauge. */
  watch(name: MetricReading, read: () => number): void {
    this.sources.set(name, read);
  }

  /** @returns null when this process has no such gauge */
  read(name: MetricReading): number | null {
    return this.sources.get(name)?.() ?? null;
  }

  /** Registers the source of the counters of a series. */
  watchSeries(name: MetricSeries, read: () => Iterable<LabelledCount>): void {
    this.series.set(name, read);
  }

  readSeries(name: MetricSeries): Iterable<LabelledCount> {
    return this.series.get(name)?.() ?? [];
  }
}
