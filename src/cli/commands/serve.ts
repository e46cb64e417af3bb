import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { requireHostProject } from '../host-project.js';

const HIGHEST_PORT = 65_535;
const MOST_WORKERS = 128;

export const serve = defineCommand({
  name: 'serve',
  summary: 'run the portal',
  description:
    'Serves the project until it gets SIGTERM or SIGINT; then running requests have 25 seconds to finish, and a second ' +
    'signal ends at once, with 1. It never migrates by itself: while migrations are pending or the database is away, ' +
    '/health/live answers 200 and /health/ready 503. A database that does not answer at the start is waited for ' +
    '(database.startWait). With --workers it answers with so many processes on one port, replaces those that end, and ' +
    'counts limits in Redis or the database, where all of them see them. With --watch it starts anew whenever portal.config.ts, .env, src/ or migrations/ change.',
  example: ['portal serve', 'portal serve --port 8080 --host 0.0.0.0 --workers auto', 'portal serve --watch'],
  options: {
    port: { type: 'integer', description: 'TCP port, instead of server.port; 0 takes any free one' },
    host: { type: 'text', description: 'address to listen on, instead of server.host' },
    workers: { type: 'text', description: 'processes, or auto for one per processor', placeholder: 'n|auto' },
    migrate: { type: 'flag', description: 'run the pending migrations first' },
    watch: { type: 'flag', description: 'start anew when the project changes, for development' },
  },
  async run({ cwd, ui, options: { port, host, workers, migrate, watch } }) {
    if (port !== undefined && port > HIGHEST_PORT) throw new UsageError(`--port must be at most ${HIGHEST_PORT}.`);
    const count = workers === undefined ? undefined : readCount(workers);
    if (watch && count !== undefined) throw new UsageError('--watch serves with one process: leave --workers away.');
    await requireHostProject(cwd);
    const commandOptions = { cwd, port, host, workers: watch ? '1' : count, migrate };
    if (watch) {
      const { watchHost } = await import('../serve/watch-host.js');
      return watchHost(cwd, commandLine(commandOptions), ui);
    }
    const { serveHost } = await import('../serve/serve-host.js');
    const flags = {
      'server.port': port === undefined ? undefined : String(port),
      'server.host': host,
      'server.workers': count,
    };
    return serveHost({ cwd, ui, flags, migrate, argv: commandLine(commandOptions) });
  },
});

/** In the format of `server.workers`: 0 means one per processor. */
function readCount(workers: string): string {
  if (workers === 'auto') return '0';
  if (/^[1-9]\d*$/.test(workers) && Number(workers) <= MOST_WORKERS) return workers;
  throw new UsageError(`--workers must be a number from 1 to ${MOST_WORKERS}, or auto.`);
}

interface Said {
  readonly cwd: string;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly workers: string | undefined;
  readonly migrate: boolean;
}

function commandLine({ cwd, port, host, workers, migrate }: Said): string[] {
  return [
    ...process.argv.slice(1, 2),
    'serve',
    `--cwd=${cwd}`,
    ...(port === undefined ? [] : [`--port=${port}`]),
    ...(host === undefined ? [] : [`--host=${host}`]),
    ...(workers === undefined ? [] : [`--workers=${workers === '0' ? 'auto' : workers}`]),
    ...(migrate ? ['--migrate'] : []),
  ];
}
