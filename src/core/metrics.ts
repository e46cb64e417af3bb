/** What a process counts of itself, by its name in the metrics; each with its meaning. */
export const METRIC_COUNTS = {
  limit_fallbacks_total: 'Limits that were counted in this process because Redis was away.',
  gateway_breaker_opened_total: 'Times the gateway was left alone after repeated failures.',
  refresh_token_reuse_total: 'Used refresh tokens that came again; each ended a sign-in.',
} as const;

/** What can be read off a process at any moment. */
export const METRIC_READINGS = {
  database_connections: 'Connections to the database that are open.',
  database_connections_used: 'Connections to the database that are in use.',
  database_connections_wanted: 'Callers that wait for a connection to the database.',
  clock_skew_seconds: 'How far the clock of this machine is ahead of that of Redis or the database.',
} as const;

export type MetricCount = keyof typeof METRIC_COUNTS;
export type MetricReading = keyof typeof METRIC_READINGS;

/** Signs of life of one process, for whoever watches it. Costs nothing when nobody does. */
export class ProcessMetrics {
  private readonly counts = new Map<MetricCount, number>();
  private readonly sources = new Map<MetricReading, () => number>();

  count(name: MetricCount): void {
    this.counts.set(name, this.counted(name) + 1);
  }

  counted(name: MetricCount): number {
    return this.counts.get(name) ?? 0;
  }

  /** Says where a reading comes from. */
  watch(name: MetricReading, read: () => number): void {
    this.sources.set(name, read);
  }

  /** @returns null for what this process does not have */
  read(name: MetricReading): number | null {
    return this.sources.get(name)?.() ?? null;
  }
}
