import { flag, type OptionValues } from '../kernel/index.js';

export const tracingOptions = {
  enabled: flag(
    false,
    'Spans of requests, statements, calls, jobs and mails for the OpenTelemetry SDK that the host starts; needs `@opentelemetry/api` in the project.',
  ),
};

export type TracingConfig = OptionValues<typeof tracingOptions>;
