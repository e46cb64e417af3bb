export type { Metrics, ObservedAnswer } from './metrics.js';
export type { MetricsServer } from './metrics-server.js';
export { isListening, openTracer } from './open-tracer.js';

/** The metrics with their package, loaded only when they are served. */
export const loadPrometheus = () => import('./prometheus.js');
