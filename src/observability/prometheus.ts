export { answerForCluster, startClusterMetrics, startMetricsServer } from './metrics-server.js';
export { Metrics } from './metrics.js';
