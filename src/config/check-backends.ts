import { findClosest } from '../core/closest.js';
import { shippedDriverNames } from '../shipped-drivers.js';
import type { CheckContext } from './check-context.js';

/** Required settings of the chosen driver, store or transport. */
export function checkBackends(context: CheckContext): void {
  const { config, fault, warn } = context;
  checkDriver(context);
  checkGuards(context);
  checkDriverOptions(context);
  checkShared(context);
  if (config.mail.transport === 'smtp' && config.mail.url === '') {
    fault('mail.url', 'is required with mail.transport smtp', 'set it to smtp://user:password@host:587');
  }
  if (config.mail.transport === 'file' && config.app.env === 'production') {
    warn('mail.transport', 'file writes mails to disk and sends none', 'set smtp and mail.url');
  }
}

// In-memory state is not shared with other processes.
function checkShared({ config: { session, limits, redis, server }, fault, unsafe }: CheckContext): void {
  for (const [path, store] of [
    ['session.store', session.store],
    ['limits.store', limits.store],
  ] as const) {
    if (store === 'redis' && redis.url === '') {
      fault('redis.url', `is required with ${path} redis`, `set it to redis://host:6379, or use ${path} database`);
    }
    if (store === 'memory' && server.workers !== 1) {
      fault(path, 'must not be memory with more than one worker', 'use redis or database, which all workers share');
    }
  }
  if (session.store === 'memory') {
    unsafe('session.store', 'memory loses every session at a restart', 'use database or redis');
  }
}

function checkDriver({ config, extensions, drivers, fault }: CheckContext): void {
  const { driver } = config.gateway;
  const names = ['local', ...Object.keys(drivers), ...Object.keys(extensions.gatewayDrivers ?? {})];
  if (names.includes(driver)) return;
  if ((shippedDriverNames as readonly string[]).includes(driver)) {
    const what = `names ${driver}, which is not part of this installation of portalkit`;
    fault('gateway.driver', what, 'install the whole package, or use local');
    return;
  }
  const near = findClosest(driver, names);
  const fix = near === undefined ? 'add it to gatewayDrivers in portal.config.ts' : `did you mean ${near}?`;
  fault('gateway.driver', `must be one of ${names.join(', ')}, not "${driver}"`, fix);
}

/** The checks of a shipped driver on its own settings. */
function checkDriverOptions({ config: { app, gateway }, drivers, fault, unsafe }: CheckContext): void {
  const name = gateway.driver as keyof typeof gateway;
  drivers[name]?.check?.(gateway[name] as never, {
    isProduction: app.env === 'production',
    fault: (setting, what, fix) => fault(`gateway.${name}.${setting}`, what, fix),
    unsafe: (setting, what, fix) => unsafe(`gateway.${name}.${setting}`, what, fix),
  });
}

const SHIPPED_GUARDS = { consumer: 'api', admin: 'admin' } as const;

/** An unknown guard would admit no one or, worse, mean the default. */
function checkGuards({ config, extensions, fault }: CheckContext): void {
  const own = extensions.guards ?? {};
  for (const context of ['consumer', 'admin'] as const) {
    const name = config.portalApi.guards[context];
    const names = [
      ...new Set([SHIPPED_GUARDS[context], ...Object.keys(own).filter((other) => !isOthers(other, context))]),
    ];
    if (names.includes(name)) {
      if (Object.hasOwn(own, name) && typeof own[name] !== 'function') {
        fault(`portalApi.guards.${context}`, `names guards.${name}, which is no function`, 'give (parts) => a guard');
      }
      continue;
    }
    const near = findClosest(name, names);
    const fix = near === undefined ? 'add it to guards in portal.config.ts' : `did you mean ${near}?`;
    fault(`portalApi.guards.${context}`, `must be one of ${names.join(', ')}, not "${name}"`, fix);
  }
}

/** Whether the name belongs to the other context's guard. */
function isOthers(name: string, context: keyof typeof SHIPPED_GUARDS): boolean {
  return name === SHIPPED_GUARDS[context === 'admin' ? 'consumer' : 'admin'];
}
