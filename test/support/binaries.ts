import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Service → names of its program, and its Debian package. */
const SERVICES = {
  mariadb: { programs: ['mariadbd', 'mysqld'], debian: 'mariadb-server' },
  redis: { programs: ['redis-server'], debian: 'redis-server' },
  nginx: { programs: ['nginx'], debian: 'nginx' },
  caddy: { programs: ['caddy'], debian: 'caddy' },
  haproxy: { programs: ['haproxy'], debian: 'haproxy' },
  chromium: { programs: ['chromium', 'chromium-browser', 'google-chrome'], debian: 'chromium' },
  faketime: { programs: ['faketime'], debian: 'faketime' },
  systemd: { programs: ['systemd-analyze'], debian: 'systemd' },
} as const;

export type Service = keyof typeof SERVICES;

// Debian keeps daemons out of the PATH of ordinary users.
const DAEMON_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The full path of a program, or undefined. */
export function findBinary(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...DAEMON_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** The full path of a service's program, or undefined if it is not installed. */
export function findService(service: Service): string | undefined {
  return SERVICES[service].programs.map(findBinary).find((path) => path !== undefined);
}

/** The full path of a service's program. @throws Error that names the package to install */
export function requireService(service: Service): string {
  const path = findService(service);
  if (path !== undefined) return path;
  throw new Error(`${service} is not installed: apt-get install ${SERVICES[service].debian}`);
}

/** In CI a missing service is an error of the CI script, and no reason to skip tests. */
export function mustHaveServices(): boolean {
  return process.env.CI === 'true';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
