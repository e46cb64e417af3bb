import type { GatewayPlugins } from '../shipped-drivers.js';
import type { Provenance } from './faults.js';

type Values = Record<string, unknown>;

/** Computes the defaults that depend on other values. Options are flat here: path → value. */
export function deriveValues(
  values: Values,
  provenance: ReadonlyMap<string, Provenance>,
  drivers: GatewayPlugins,
): void {
  const derive = (path: string, value: () => unknown) => {
    if (!provenance.has(path) || values[path] === '') values[path] = value();
  };
  const isProduction = values['app.env'] === 'production';
  derive('app.url', () => (isProduction ? '' : localUrl(String(values['server.host']), Number(values['server.port']))));
  values['app.url'] = String(values['app.url']).replace(/(?<!\/)\/+$/, '');
  const host = hostOf(values['app.url']);
  derive('app.allowedHosts', () => deriveAllowedHosts(host, isProduction));
  derive('mail.from', () => `${quote(String(values['app.name']))} <no-reply@${host ?? 'localhost'}>`);
  derive('server.drainDelay', () => (isProduction ? 3 : 0));
  // Lowering only the maximum contradicts nothing: perPage was not set.
  derive('portalApi.pagination.perPage', () => pickSmaller(values, 'portalApi.pagination'));
  derive('limits.store', () => limitStore(values));
  derive('keys.environment', () => (isProduction ? 'live' : 'test'));
  derive('verify.enabled', () => values['gateway.driver'] === 'local');
  // Without the API, its reference would offer requests that nothing answers.
  if (values['portalApi.enabled'] === false) values['docs.enabled'] = false;
  for (const [name, plugin] of Object.entries(drivers)) {
    const section = `gateway.${name}.`;
    const names = Object.keys(plugin.options);
    const options = Object.fromEntries(names.map((option) => [option, values[section + option]]));
    for (const [option, value] of Object.entries(plugin.derive?.(options as never) ?? {}))
      derive(section + option, () => value);
  }
  if (!Array.isArray(values['docs.servers']) || values['docs.servers'].length === 0) {
    values['docs.servers'] = [values['portalApi.prefix']];
  }
}

function pickSmaller(values: Values, section: string): unknown {
  const [standard, most] = [values[`${section}.perPage`], values[`${section}.maxPerPage`]];
  return typeof standard === 'number' && typeof most === 'number' ? Math.min(standard, most) : standard;
}

/** Shared by all processes where possible (S15). */
function limitStore(values: Values): string {
  if (values['redis.url'] !== '') return 'redis';
  return values['server.workers'] === 1 ? 'memory' : 'database';
}

// A wildcard address cannot be linked to.
function localUrl(host: string, port: number): string {
  const name = ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function deriveAllowedHosts(host: string | undefined, isProduction: boolean): string[] {
  const local = isProduction ? [] : ['localhost', '127.0.0.1', '[::1]'];
  return [...new Set([...(host === undefined ? [] : [host]), ...local])];
}

function hostOf(url: unknown): string | undefined {
  return URL.canParse(String(url)) ? new URL(String(url)).hostname : undefined;
}

// RFC 5322: a display name with special characters is a quoted string.
function quote(name: string): string {
  return /^[\w !#$%&'*+/=?^`{|}~-]+$/.test(name) ? name : `"${name.replace(/(["\\])/g, '\\$1')}"`;
}
