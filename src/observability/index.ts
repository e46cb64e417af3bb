export type { Metrics, ObservedAnswer } from './metrics.js';
export type { MetricsServer } from './metrics-server.js';
export { isListening, openTracer } from './open-tracer.js';

/** What metrics are made of, with its package, for who serves them. */
export const loadPrometheus = () => import('./prometheus.js');
