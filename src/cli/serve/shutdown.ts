import cluster from 'node:cluster';
import { EXIT } from '../errors.js';
import type { ServerLog } from './server-log.js';

/** The terminal tells the whole process group about Ctrl-C, and npm tells its child once more: that is one signal. */
const ECHO_MS = 250;

/** Why a server ends. */
export type Ending =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** Something failed that nobody was waiting for: what it left behind is unknown, so the process does not go on (R26). */
  | { readonly kind: 'crash'; readonly error: unknown };

/**
 * Resolves when the process is asked to end or must. A second signal does not wait for anything any more: exit code 1.
 * @returns also a function that stops listening
 */
export function watchForTheEnd(voice: ServerLog): { readonly ending: Promise<Ending>; readonly release: () => void } {
  let resolve: (ending: Ending) => void = () => undefined;
  const ending = new Promise<Ending>((settle) => (resolve = settle));
  let first: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    first ??= performance.now();
    // The only way to end while requests, sockets or the host's own timers still hold the process. A worker is told by the
    // terminal and by its primary, whenever that comes to it, and ends with the primary in any case.
    if (performance.now() - first > ECHO_MS && !cluster.isWorker) {
      voice.warn(`${signal} again: ending at once, requests that run are cut off.`, { signal });
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

/** What is told at the first signal. */
export function farewell(signal: NodeJS.Signals): string {
  return `${signal}: letting running requests finish. A second signal ends at once.`;
}

/** Ends the process after `milliseconds`, should a request or something of the host still hold it by then. */
export function endAtTheLatest(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref();
}
