import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { requireHostProject } from '../host-project.js';

const HIGHEST_PORT = 65_535;

export const serve = defineCommand({
  name: 'serve',
  summary: 'run the portal',
  description:
    'Serves the project until it gets SIGTERM or SIGINT; then running requests have 25 seconds to finish, and a second ' +
    'signal ends at once. It never migrates by itself: while migrations are pending or the database is away, ' +
    '/health/live answers 200 and /health/ready 503. A database that does not answer at the start is waited for ' +
    '(database.startWait). With --watch it starts anew whenever portal.config.ts, .env, src/ or migrations/ change.',
  example: ['portal serve', 'portal serve --port 8080 --host 0.0.0.0', 'portal serve --watch'],
  options: {
    port: { type: 'integer', description: 'TCP port, instead of server.port; 0 takes any free one' },
    host: { type: 'text', description: 'address to listen on, instead of server.host' },
    migrate: { type: 'flag', description: 'run the pending migrations first' },
    watch: { type: 'flag', description: 'start anew when the project changes, for development' },
  },
  async run({ cwd, ui, options: { port, host, migrate, watch } }) {
    if (port !== undefined && port > HIGHEST_PORT) throw new UsageError(`--port must be at most ${HIGHEST_PORT}.`);
    await requireHostProject(cwd);
    if (watch) {
      const { watchHost } = await import('../serve/watch-host.js');
      return watchHost(cwd, commandLine({ cwd, port, host, migrate }), ui);
    }
    const { serveHost } = await import('../serve/serve-host.js');
    const flags = { 'server.port': port === undefined ? undefined : String(port), 'server.host': host };
    return serveHost({ cwd, ui, flags, migrate });
  },
});

interface Said {
  readonly cwd: string;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly migrate: boolean;
}

function commandLine({ cwd, port, host, migrate }: Said): string[] {
  return [
    ...process.argv.slice(1, 2),
    'serve',
    `--cwd=${cwd}`,
    ...(port === undefined ? [] : [`--port=${port}`]),
    ...(host === undefined ? [] : [`--host=${host}`]),
    ...(migrate ? ['--migrate'] : []),
  ];
}
