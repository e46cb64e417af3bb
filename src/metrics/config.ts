import { integer, text, type OptionValues } from '../kernel/index.js';

export const metricsOptions = {
  port: integer(0, 'TCP port of the Prometheus metrics, apart from the portal’s own; 0 serves none.', { max: 65_535 }),
  host: text('127.0.0.1', 'Address that the metrics listen on. They are for the machines that watch, never public.'),
};

export type MetricsConfig = OptionValues<typeof metricsOptions>;
