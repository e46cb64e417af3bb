import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/index.js';
import type { Portal } from '../../portal.js';
import { EXIT } from '../errors.js';
import type { Ui } from '../ui.js';
import { PortListener } from './listener.js';
import { endAtTheLatest, farewell, watchForTheEnd, type ShutdownCause } from './shutdown.js';
import { preparePortal } from './prepare-portal.js';
import { serveWorkers } from './serve-workers.js';
import { createServerLog, SILENT, type ServerLog } from './server-log.js';
import { ADMITTING, READY } from './worker-pool.js';

/** R26: after a crash, running requests get this long. */
const CRASH_DRAIN_MS = 5_000;
const LINGER_MS = 1_000;
/**
 * How long listening is put off until the portal can answer: a proxy without health checks would send requests here,
 * and would not retry a write at another replica after a 503. After that, liveness has to be answered.
 */
const PATIENCE_MS = 2_000;

interface ServeOptions {
  readonly cwd: string;
  readonly ui: Ui;
  /** Option path → text from the command line. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly migrate: boolean;
  /** The arguments of `node` that start this command again, for workers. */
  readonly argv: readonly string[];
}

/** Serves a host project until it is told to stop, alone or with workers. @returns the exit code */
export async function serveHost({ cwd, ui, flags, migrate, argv }: ServeOptions): Promise<number> {
  try {
    const [{ loadConfig }, { createLogger }] = await Promise.all([
      import('../../config/index.js'),
      import('../../core/index.js'),
    ]);
    const loaded = await loadConfig({ cwd, flags });
    const { app, server, metrics } = loaded.config;
    const logger = createLogger(app.logLevel);
    const spoken = createServerLog(ui, logger, app.env === 'production');
    const serverLog = joinsOthers() ? SILENT : spoken;
    const count = server.workers === 0 ? availableParallelism() : server.workers;
    if (!cluster.isWorker) for (const warning of loaded.warnings) serverLog.warn(warning);
    if (count > 1 && !cluster.isWorker) {
      return await serveWorkers({ count, argv, serverLog, logger, metrics, drainDelay: server.drainDelay });
    }
    return await serveAlone(loaded, serverLog, migrate && !joinsOthers());
  } finally {
    // The IPC channel to the primary would keep the process alive.
    cluster.worker?.disconnect();
  }
}

/**
 * Whether this is a worker other than the first, which alone does and logs whatever is needed once. Such a worker
 * listens only when ready: readiness probes reach any worker, and the next request may reach another.
 */
function joinsOthers(): boolean {
  return cluster.worker !== undefined && cluster.worker.id !== 1;
}

async function serveAlone(loaded: LoadedConfig, serverLog: ServerLog, migrate: boolean): Promise<number> {
  const { assemblePortal } = await import('../../open-portal.js');
  const portal = assemblePortal(loaded);
  const { ending, release } = watchForTheEnd(serverLog);
  const listener = new PortListener(portal, serverLog);
  try {
    return await serveUntilEnd({ portal, listener, serverLog, migrate, ending });
  } finally {
    await portal.close();
    release();
    endAtTheLatest(LINGER_MS);
  }
}

interface Life {
  readonly portal: Portal;
  readonly listener: PortListener;
  readonly serverLog: ServerLog;
  readonly migrate: boolean;
  readonly ending: Promise<ShutdownCause>;
}

async function serveUntilEnd({ portal, listener, serverLog, migrate, ending }: Life): Promise<number> {
  const abort = new AbortController();
  const onObstacle = async () => {
    if (!joinsOthers()) await listener.open();
  };
  const onAdmitting = async () => {
    await listener.open();
    cluster.worker?.send(ADMITTING);
  };
  const preparing = preparePortal(portal, { serverLog, migrate, onObstacle, onAdmitting, signal: abort.signal }).then(
    () => {
      const { url } = listener;
      const { enabled, prefix } = portal.config.portalApi;
      serverLog.say(`Ready. The API is ${enabled ? `at ${url}${prefix}` : 'off (portalApi.enabled)'}`, { url });
      logPages(portal, serverLog);
      cluster.worker?.send(READY);
      if (serverLog !== SILENT) void warnOfForeignKey(portal, serverLog);
      return ending;
    },
  );
  try {
    const late = pause(PATIENCE_MS, undefined, { signal: abort.signal }).then(onObstacle);
    const end = await Promise.race([ending, preparing, late.then(() => preparing)]);
    return await finish(end, portal, listener, serverLog);
  } catch (error) {
    await listener.close({ atOnce: true });
    throw error;
  } finally {
    abort.abort();
  }
}

// Uses the public URL of links and mails, which behind a proxy differs from the listening address.
function logPages({ config: { theme }, parts: { address } }: Portal, serverLog: ServerLog): void {
  if (theme.enabled) {
    const [portal, signIn] = [address.page(''), address.page('/login')];
    serverLog.say(`The portal is at ${portal}, developers sign in at ${signIn}`, { portal, signIn });
  }
  const admin = address.consolePage('');
  if (admin !== null) serverLog.say(`The console is at ${admin}, where admins sign in`, { console: admin });
}

async function finish(
  end: ShutdownCause,
  portal: Portal,
  listener: PortListener,
  serverLog: ServerLog,
): Promise<number> {
  if (end.kind === 'signal') {
    if (!cluster.isWorker) serverLog.say(farewell(end.signal), { signal: end.signal });
    await listener.close();
    return EXIT.ok;
  }
  portal.logger.fatal({ err: end.error }, 'the process cannot go on after an error that nobody handled');
  process.exitCode = EXIT.failed;
  endAtTheLatest(CRASH_DRAIN_MS);
  await listener.close();
  return EXIT.failed;
}

/**
 * Warns when `app.key` is not the one that the database was written with, as after a restore: keys cannot be decrypted
 * then, and audit:verify will reject every new activity.
 */
async function warnOfForeignKey({ sampleEncrypted, services, logger }: Portal, serverLog: ServerLog): Promise<void> {
  try {
    const unreadable = (await sampleEncrypted()).some((sample) => sample.unreadable > 0);
    const { isSealed } = await services.activities.verifier.end();
    if (!unreadable && isSealed) return;
    const fix = 'stop the portal and bring back the APP_KEY that belongs to this database; portal doctor says more';
    serverLog.warn(`What is stored was not written with this APP_KEY. Fix: ${fix}.`, { setting: 'app.key' });
  } catch (error) {
    // The database went away or the process is ending; neither is about the key.
    logger.debug({ err: error }, 'whether app.key belongs to the database was not found out');
  }
}
