export { answerForCluster, startClusterMetrics } from './cluster-metrics.js';
export { Metrics, type ObservedAnswer } from './metrics.js';
export { startMetricsServer, type MetricsServer } from './metrics-server.js';
export { isListening, openTracer } from './open-tracer.js';
