import cluster from 'node:cluster';
import type { Logger } from '../../core/index.js';
import { EXIT } from '../errors.js';
import { farewell, watchForTheEnd } from './shutdown.js';
import type { ServerLog } from './server-log.js';
import { WorkerPool } from './worker-pool.js';

interface WorkersOptions {
  readonly count: number;
  /** The arguments of `node`: this program and its command line. */
  readonly argv: readonly string[];
  readonly serverLog: ServerLog;
  readonly logger: Logger;
  /** `metrics` of the configuration. */
  readonly metrics: { readonly host: string; readonly port: number };
  /** Seconds, see `server.drainDelay`. */
  readonly drainDelay: number;
}

/**
 * Serves with several processes on one port until told to stop. This process serves nothing itself: it distributes
 * connections, replaces workers that exit, and exits with them.
 * @returns the exit code
 */
export async function serveWorkers(options: WorkersOptions): Promise<number> {
  const { count, argv, serverLog, logger, metrics, drainDelay } = options;
  const [exec, ...args] = argv;
  cluster.setupPrimary({ exec, args });
  const { ending, release } = watchForTheEnd(serverLog);
  const pool = new WorkerPool(serverLog, drainDelay);
  const watched = await serveMetrics(metrics);
  try {
    const end = await Promise.race([ending, pool.start(count)]);
    if (typeof end === 'number') return end;
    if (end.kind === 'signal') {
      serverLog.say(farewell(end.signal), { signal: end.signal });
      return EXIT.ok;
    }
    logger.fatal({ err: end.error }, 'the process cannot go on after an error that nobody handled');
    return EXIT.failed;
  } finally {
    await pool.end();
    await watched?.close();
    release();
  }
}

async function serveMetrics(address: WorkersOptions['metrics']) {
  if (address.port === 0) return null;
  const { loadPrometheus } = await import('../../observability/index.js');
  const { startClusterMetrics } = await loadPrometheus();
  return startClusterMetrics(address);
}
