export { answerForCluster, startClusterMetrics } from './cluster-metrics.js';
export { Metrics } from './metrics.js';
export { startMetricsServer } from './metrics-server.js';
