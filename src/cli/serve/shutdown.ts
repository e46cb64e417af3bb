import cluster from 'node:cluster';
import { EXIT } from '../errors.js';
import type { ServerLog } from './server-log.js';

/** The terminal sends Ctrl-C to the whole process group, and npm sends it to its child again: that counts as one signal. */
const ECHO_MS = 250;

/** Why a server stops. */
export type ShutdownCause =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** An unhandled error: the state it left behind is unknown, so the process must exit (R26). */
  | { readonly kind: 'crash'; readonly error: unknown };

/**
 * Resolves when the process is asked to stop or crashes. A second signal exits at once with code 1.
 * @returns also a function that removes the listeners
 */
export function watchForTheEnd(serverLog: ServerLog): {
  readonly ending: Promise<ShutdownCause>;
  readonly release: () => void;
} {
  let resolve: (ending: ShutdownCause) => void = () => undefined;
  const ending = new Promise<ShutdownCause>((settle) => (resolve = settle));
  let first: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    first ??= performance.now();
    // The only way to exit while requests, sockets or the host's own timers hold the process. A worker gets the signal
    // from both the terminal and its primary, at different times, and exits with the primary anyway.
    if (performance.now() - first > ECHO_MS && !cluster.isWorker) {
      serverLog.warn(`${signal} again: ending at once, requests that run are cut off.`, { signal });
      process.exit(EXIT.failed);
    }
    resolve({ kind: 'signal', signal });
  };
  const onCrash = (error: unknown) => resolve({ kind: 'crash', error });
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  process.on('unhandledRejection', onCrash).on('uncaughtException', onCrash);
  const release = () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    process.off('unhandledRejection', onCrash).off('uncaughtException', onCrash);
  };
  return { ending, release };
}

/** Message for the first signal. */
export function farewell(signal: NodeJS.Signals): string {
  return `${signal}: letting running requests finish. A second signal ends at once.`;
}

/** Exits after `milliseconds` if requests or host code still hold the process by then. */
export function endAtTheLatest(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref();
}
