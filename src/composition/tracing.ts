import { isListening } from '../observability/index.js';
import type { DomainBase } from './base.js';

/** Tells an operator who wants traces and will get none. To watch must not keep a portal from serving: it is no fault. */
export function announceTracing({ config, root, logger }: DomainBase): void {
  if (!config.tracing.enabled || isListening(root)) return;
  const fix = 'start the process with --import ./tracing.js, as in docs/production.md, and the same @opentelemetry/api';
  logger.warn({ setting: 'tracing.enabled', fix }, 'no OpenTelemetry SDK takes the spans');
}
