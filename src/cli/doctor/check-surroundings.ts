import { isIP } from 'node:net';
import type { PortalConfig } from '../../config/index.js';
import type { Portal } from '../../portal.js';
import { failure, pass, warning, type Finding } from './finding.js';

/** R30: clocks of replicas may differ by a few seconds; beyond that, links and tokens expire too early or too late. */
const MOST_APART_MS = 5_000;
const MAIL_MS = 10_000;

/** S17: behind a proxy that is not configured, all clients share its address and hence one limit. */
export function checkProxy({ app, server }: PortalConfig): Finding {
  const { trustProxy } = app;
  if (trustProxy > 0) return pass('proxy', `${trustProxy} in front of the portal`);
  if (!app.url.startsWith('https:')) return pass('proxy', 'none in front of the portal');
  const message = `app.url is https, which a proxy terminates, but app.trustProxy counts none: all clients share its limits`;
  const fix = 'set APP_TRUST_PROXY to the number of proxies between the clients and the portal';
  return app.env === 'production'
    ? warning('proxy', message, fix)
    : pass('proxy', `none; ${server.host} answers itself`);
}

/** R39: only the network protects the metrics. */
export function checkMetrics({ metrics: { host, port } }: PortalConfig): Finding {
  if (port === 0) return pass('metrics', 'not served');
  if (isLoopback(host)) return pass('metrics', `only this machine reads them, on port ${port}`);
  const message = `everybody who reaches ${host}:${port} reads them`;
  return warning('metrics', message, 'set METRICS_HOST to 127.0.0.1, or let the network admit nobody but Prometheus');
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === 'localhost' || host === '::1';
}

/** SQLite uses the clock of this machine. */
export async function checkClock({ database, services }: Portal): Promise<Finding[]> {
  if (database.dialect === 'sqlite') return [];
  const before = services.clock.now().getTime();
  const shared = await database.serverTime();
  const after = services.clock.now().getTime();
  const apart = shared - (before + after) / 2;
  const tolerance = MOST_APART_MS + (after - before) / 2;
  if (Math.abs(apart) <= tolerance) return [pass('clock', 'agrees with that of the database')];
  const seconds = Math.round(Math.abs(apart) / 1000);
  const message = `this machine is ${seconds} s ${apart > 0 ? 'behind' : 'ahead of'} the database server`;
  return [warning('clock', message, 'keep both machines on time, with chrony or systemd-timesyncd')];
}

/** The file transport is covered by the storage check. */
export async function checkMail({ mailer, config: { mail } }: Portal): Promise<Finding[]> {
  if (mailer === null) return [];
  const where =
    mail.transport === 'smtp' && URL.canParse(mail.url) ? new URL(mail.url).host : 'the mailer of the project';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${MAIL_MS / 1000} s`)), MAIL_MS);
  });
  try {
    await Promise.race([mailer.check(), late]);
    return [pass('mail', `${where} takes mails`)];
  } catch (error) {
    const fix = 'start it, or correct MAIL_URL; mails wait in the outbox meanwhile';
    return [failure('mail', `${where}: ${reasonOf(error)}`, fix)];
  } finally {
    clearTimeout(timer);
  }
}

// The server's message may repeat the user name, never the password.
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  if (code === 'EAUTH') return `it refuses user and password (${responseCode ?? code})`;
  return (message ?? String(error)).split('\n', 1)[0] ?? '';
}
