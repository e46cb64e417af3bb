import type { Portal } from '../../portal.js';
import { EXIT } from '../errors.js';
import type { Ui } from '../ui.js';
import { endAtTheLatest, watchForTheEnd, type Ending } from './end-of-life.js';
import { explainListenFailure } from './listen-failure.js';
import { preparePortal } from './prepare-portal.js';
import { createVoice, type Voice } from './voice.js';

type RunningServer = Awaited<ReturnType<Portal['listen']>>;

/** R26: after a crash, requests that run get this long. */
const CRASH_DRAIN_MS = 5_000;
const LINGER_MS = 1_000;

interface ServeOptions {
  readonly cwd: string;
  readonly ui: Ui;
  /** Option path → text from the command line. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly migrate: boolean;
}

/** Serves a host project until it is told to end. @returns the exit code */
export async function serveHost({ cwd, ui, flags, migrate }: ServeOptions): Promise<number> {
  const [{ loadConfig }, { assemblePortal }] = await Promise.all([
    import('../../config/index.js'),
    import('../../open-portal.js'),
  ]);
  const loaded = await loadConfig({ cwd, flags });
  const portal = assemblePortal(loaded);
  const voice = createVoice(ui, portal.logger, portal.config.app.env === 'production');
  for (const warning of loaded.warnings) voice.warn(warning);
  const { ending, release } = watchForTheEnd();
  try {
    const server = await listen(portal);
    return await untilTheEnd({ portal, server, voice, migrate, ending });
  } finally {
    await portal.close();
    release();
    endAtTheLatest(LINGER_MS);
  }
}

async function listen(portal: Portal): Promise<RunningServer> {
  try {
    return await portal.listen();
  } catch (error) {
    throw explainListenFailure(error, portal.config.server);
  }
}

interface Life {
  readonly portal: Portal;
  readonly server: RunningServer;
  readonly voice: Voice;
  readonly migrate: boolean;
  readonly ending: Promise<Ending>;
}

async function untilTheEnd({ portal, server, voice, migrate, ending }: Life): Promise<number> {
  const abort = new AbortController();
  const url = addressOf(server, portal.config.server.host);
  voice.say(`Listening on ${url}`, { url });
  const preparing = preparePortal(portal, { voice, migrate, signal: abort.signal }).then(() => {
    voice.say(`Ready. The API is at ${url}${portal.config.portalApi.prefix}`, { url });
    return ending;
  });
  try {
    const end = await Promise.race([ending, preparing]);
    return await finish(end, portal, server, voice);
  } catch (error) {
    await server.close();
    throw error;
  } finally {
    abort.abort();
  }
}

async function finish(end: Ending, portal: Portal, server: RunningServer, voice: Voice): Promise<number> {
  if (end.kind === 'signal') {
    voice.say(`${end.signal}: letting running requests finish.`, { signal: end.signal });
    await server.close();
    return EXIT.ok;
  }
  portal.logger.fatal({ err: end.error }, 'the process cannot go on after an error that nobody handled');
  process.exitCode = EXIT.failed;
  endAtTheLatest(CRASH_DRAIN_MS);
  await server.close();
  return EXIT.failed;
}

function addressOf({ address }: RunningServer, host: string): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
