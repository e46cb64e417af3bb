import { isIP } from 'node:net';
import type { PortalConfig } from '../config/index.js';
import type { Portal } from '../portal.js';
import { failure, pass, warning, type Finding } from './doctor-finding.js';
import { CommandFailedError } from './errors.js';
import { compareTemplates, NEWS } from './project/compare-templates.js';

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

const SHOWN = 5;

/** Published views that have changed in the package since: they miss changes of an upgrade. */
export async function checkTemplates(folder: string): Promise<Finding> {
  try {
    const views = await compareTemplates(folder);
    const changed = views.filter(({ state }) => NEWS.has(state)).map(({ path }) => path);
    if (views.length === 0) return pass('views', 'none published, all come from the package');
    if (changed.length === 0)
      return pass('views', `${views.length} published, none of them changed in the package since`);
    const names =
      changed.slice(0, SHOWN).join(', ') + (changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : '');
    return warning('views', `the package changed ${names} since published`, 'portal theme:diff');
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return warning('views', error.message.replace(/\.$/, ''), error.fix ?? 'portal theme:diff');
  }
}

/** Messages that a locale of the portal lacks: pages show them in the default locale. */
export async function checkMessages({ config, translations }: Portal): Promise<Finding> {
  const { locales } = config.theme;
  try {
    const reports = await Promise.all(locales.map((locale) => translations.check(locale)));
    const faulty = reports.flatMap(({ locale, missing, untranslated, unknownValues }) => {
      const count = missing.length + untranslated.length + unknownValues.length;
      return count === 0 ? [] : [`${locale} (${count})`];
    });
    if (faulty.length === 0) return pass('words', `complete in ${locales.join(', ')}`);
    return warning('words', `words are missing or wrong in ${faulty.join(', ')}`, 'portal lang:check');
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    return warning('words', message, 'mend the file');
  }
}
