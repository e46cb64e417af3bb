import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireService } from './binaries.js';
import { accepts, startPrivately, type PrivateService } from './private-process.js';

export type { PrivateService } from './private-process.js';

/** What a proxy of a test must know: where to listen. Upstreams are the test's own. */
export interface Place {
  port: number;
  directory: string;
}

/** nginx with the `server { … }` blocks of the test; logs and temporary files stay in its folder. */
export function startNginx(servers: (place: Place) => string): Promise<PrivateService> {
  const program = requireService('nginx');
  return startPrivately('nginx', (place) => {
    const file = join(place.directory, 'nginx.conf');
    writeFileSync(file, nginxConfiguration(place.directory, servers(place)));
    return { program, arguments: ['-p', place.directory, '-e', 'stderr', '-c', file] };
  });
}

/** Caddy with the site blocks of the test; no admin port, no certificates, nothing in the home folder. */
export function startCaddy(sites: (place: Place) => string): Promise<PrivateService> {
  const program = requireService('caddy');
  return startPrivately('caddy', (place) => {
    const file = join(place.directory, 'Caddyfile');
    writeFileSync(file, `{\n  admin off\n  auto_https off\n}\n${sites(place)}\n`);
    const { directory } = place;
    return {
      program,
      arguments: ['run', '--config', file, '--adapter', 'caddyfile'],
      environment: { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    };
  });
}

/** HAProxy with the frontends and backends of the test; the defaults section is given. */
export function startHaproxy(sections: (place: Place) => string): Promise<PrivateService> {
  const program = requireService('haproxy');
  return startPrivately('haproxy', (place) => {
    const file = join(place.directory, 'haproxy.cfg');
    const defaults = 'defaults\n  mode http\n  timeout connect 60s\n  timeout client 120s\n  timeout server 120s\n';
    writeFileSync(file, `global\n  maxconn 200\n${defaults}\n${sections(place)}\n`);
    return { program, arguments: ['-db', '-f', file] };
  });
}

/** Redis in memory only. `options` are further command line options, for example `['--requirepass', 'x']`. */
export function startRedis(options: readonly string[] = [], at?: number): Promise<PrivateService> {
  const program = requireService('redis');
  return startPrivately('redis', ({ port: free, directory }) => {
    const port = at ?? free;
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--daemonize', 'no'];
    const isReady = () => accepts(port);
    return { program, arguments: [...own, '--save', '', '--appendonly', 'no', ...options], isReady };
  });
}

function nginxConfiguration(directory: string, servers: string): string {
  // As root, workers would become `nobody` and could not enter the temporary folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `  ${kind}_temp_path ${join(directory, kind)};`).join('\n');
  return `${user}daemon off;
worker_processes 1;
pid ${join(directory, 'nginx.pid')};
events { worker_connections 256; }
http {
  access_log ${join(directory, 'access.log')};
${temporary}
${servers}
}
`;
}
