import { flag, integer, text, type OptionValues } from '../core/index.js';

export const metricsOptions = {
  port: integer(0, 'TCP port of the Prometheus metrics, apart from the portal’s own; 0 serves none.', { max: 65_535 }),
  host: text('127.0.0.1', 'Address that the metrics listen on. They are for the machines that watch, never public.'),
};

export type MetricsConfig = OptionValues<typeof metricsOptions>;

export const tracingOptions = {
  enabled: flag(
    false,
    'Spans of requests, statements, calls, jobs and mails for the OpenTelemetry SDK that the host starts; needs `@opentelemetry/api` in the project.',
  ),
};

export type TracingConfig = OptionValues<typeof tracingOptions>;
